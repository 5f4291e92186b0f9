"""What do operators see and do in the admin site? Tenants and people, applications and tokens, quotas, what is live, the audit log."""

from auth_app.admin import audit_log, live, oauth, people, sign_on, tenants, usage

__all__ = ["audit_log", "live", "oauth", "people", "sign_on", "tenants", "usage"]
