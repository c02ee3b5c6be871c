-- Leases of VMs as they are on storage, beside the storage domain that a definition names: one that was asked for is not one
-- that was made. A row is there before its lease is created and until it is deleted; it outlives its VM, so that no lease is
-- left on storage.

CREATE TABLE vm_lease (
    vm_guid           uuid    NOT NULL,
    storage_domain_id uuid    NOT NULL,
    path              text,
    lease_offset      bigint,
    run_generation    bigint,
    deleting          boolean NOT NULL DEFAULT false,
    PRIMARY KEY (vm_guid, storage_domain_id),
    CHECK ((path IS NULL) = (lease_offset IS NULL))
);

COMMENT ON TABLE vm_lease IS 'Leases of VMs on storage that are there, or may be. A VM with a lease in its definition that has no row here has none on storage.';
COMMENT ON COLUMN vm_lease.vm_guid IS 'The VM, which may be gone while its lease is still to be deleted; also the name of the lease. Owner: engine.';
COMMENT ON COLUMN vm_lease.storage_domain_id IS 'The storage domain that it is on. Owner: engine.';
COMMENT ON COLUMN vm_lease.path IS 'File or device on hosts, null while it is not known to be there. Owner: engine.';
COMMENT ON COLUMN vm_lease.lease_offset IS 'Where it begins in that file, bytes. Owner: engine.';
COMMENT ON COLUMN vm_lease.run_generation IS 'The run of the VM that was started with it, null for none. Owner: engine.';
COMMENT ON COLUMN vm_lease.deleting IS 'Whether it is being deleted, so that it may be there or not. Owner: engine.';
