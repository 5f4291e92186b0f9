"""The practice agent: runs without any model, so that people can try the service and tests can drive every feature."""

from ahp_platform.agents.backends.practice.backend import PracticeBackend as PracticeBackend
from ahp_platform.agents.backends.practice.backend import ProtectedPracticeBackend as ProtectedPracticeBackend
