"""Our authorization server: django-oauth-toolkit, and what it does not know: tenants, consent pages, device polling."""
