"""Row-level security: the fence between tenants that PostgreSQL itself keeps."""
