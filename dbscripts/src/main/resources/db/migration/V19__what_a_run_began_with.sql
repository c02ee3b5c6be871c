-- A VM that runs is what it was when it began to, whatever is defined since. What it began with is written by the first
-- change of its definition in a run, and counts for that run only; a VM that is not changed while it runs has no row.

CREATE TABLE vm_run_definition (
    vm_guid           uuid    PRIMARY KEY REFERENCES vm_static ON DELETE CASCADE,
    run_generation    bigint  NOT NULL,
    mem_size_mb       integer NOT NULL,
    min_allocated_mem integer NOT NULL,
    num_of_sockets    integer NOT NULL,
    cpu_per_socket    integer NOT NULL,
    threads_per_cpu   integer NOT NULL,
    specification     jsonb
);

COMMENT ON TABLE vm_run_definition IS 'What VMs began their run with whose definition was changed since. A row counts while its run is that of vm_dynamic and the VM is not down.';
COMMENT ON COLUMN vm_run_definition.vm_guid IS 'The VM. Owner: engine.';
COMMENT ON COLUMN vm_run_definition.run_generation IS 'The run that it is about, as vm_dynamic counts them. Owner: engine.';
COMMENT ON COLUMN vm_run_definition.mem_size_mb IS 'Memory, MiB. Owner: engine.';
COMMENT ON COLUMN vm_run_definition.min_allocated_mem IS 'Memory that ballooning may not go below, MiB. Owner: engine.';
COMMENT ON COLUMN vm_run_definition.num_of_sockets IS 'Number of CPU sockets. Owner: engine.';
COMMENT ON COLUMN vm_run_definition.cpu_per_socket IS 'Number of cores per socket. Owner: engine.';
COMMENT ON COLUMN vm_run_definition.threads_per_cpu IS 'Number of threads per core. Owner: engine.';
COMMENT ON COLUMN vm_run_definition.specification IS 'Devices, firmware and the rest of the definition, null if it had none. Owner: engine.';
