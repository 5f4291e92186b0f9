"""How are secrets that people entrust to us kept in the database?

Encrypted with a key derived from SECRET_KEY, and read also with those derived from SECRET_KEY_FALLBACKS: an old key goes there when
it is replaced. Each purpose has keys of its own, so that what was sealed for one cannot be passed off as another's.
"""

from __future__ import annotations

import base64
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class SecretsBox:
    """Seals and opens texts for one purpose, which names its keys for ever."""

    def __init__(self, purpose: str) -> None:
        self._purpose = purpose.encode()

    def seal(self, text: str) -> bytes:
        """What may be stored of a secret."""
        return self._vault().encrypt(text.encode())

    def open(self, sealed: bytes) -> str | None:
        """The secret; None where its key has been retired, so that it must be asked for again."""
        try:
            return self._vault().decrypt(sealed).decode()
        except InvalidToken:
            return None

    def _vault(self) -> MultiFernet:
        return _vault(self._purpose, (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))


@lru_cache(maxsize=8)
def _vault(purpose: bytes, keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(_derived(purpose, key)) for key in keys])


def _derived(purpose: bytes, key: str) -> bytes:
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose)
    return base64.urlsafe_b64encode(kdf.derive(key.encode()))
