"""Work that is a row: claimed by one host process, held by a lease, given up when the host dies."""
