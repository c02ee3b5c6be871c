-- What commands recorded about the present run of a VM, and what monitoring left to commands.

ALTER TABLE vm_dynamic
    ADD COLUMN run_generation       bigint  NOT NULL DEFAULT 0,
    ADD COLUMN cpu_name             text,
    ADD COLUMN emulated_machine     text,
    ADD COLUMN volatile_run         boolean NOT NULL DEFAULT false,
    ADD COLUMN current_cpu_pinning  text,
    ADD COLUMN current_sockets      integer,
    ADD COLUMN current_cores        integer,
    ADD COLUMN current_threads      integer,
    ADD COLUMN current_numa_pinning text;

COMMENT ON COLUMN vm_dynamic.run_generation IS 'How often the VM began to run; with the VM the key of what follows from a run. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.cpu_name IS 'CPU model that the present run was started with. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.emulated_machine IS 'Machine type that the present run was started with. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.volatile_run IS 'Whether what the present run was started with is gone when it ends. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.current_cpu_pinning IS 'CPU pinning of the present run, null for none. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.current_sockets IS 'CPU sockets of the present run, null when as defined. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.current_cores IS 'Cores per socket of the present run, null when as defined. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.current_threads IS 'Threads per core of the present run, null when as defined. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.current_numa_pinning IS 'NUMA pinning of the present run, null for none. Owner: engine.';

-- The host is no foreign key: a host that is removed meanwhile must not keep the VM's state from being saved.
CREATE TABLE pending_work (
    vm_guid        uuid        NOT NULL REFERENCES vm_dynamic ON DELETE CASCADE,
    kind           smallint    NOT NULL,
    run_generation bigint      NOT NULL,
    host_id        uuid,
    why            text        NOT NULL,
    created_at     timestamptz NOT NULL,
    taken_over_at  timestamptz,
    taken_over_by  uuid,
    PRIMARY KEY (vm_guid, kind, run_generation),
    CHECK ((taken_over_at IS NULL) = (taken_over_by IS NULL))
);

CREATE INDEX idx_pending_work_open ON pending_work (created_at) WHERE taken_over_at IS NULL;

COMMENT ON TABLE pending_work IS 'What monitoring left to commands, written with the state that it follows from. Open until a command takes it over; kept then until the VM''s next run, so that the same conclusion is not queued twice.';
COMMENT ON COLUMN pending_work.vm_guid IS 'The VM. Owner: engine.';
COMMENT ON COLUMN pending_work.kind IS 'Code of WorkKind; 1 is the restart of a highly available VM. Owner: engine.';
COMMENT ON COLUMN pending_work.run_generation IS 'The run of the VM that it follows from. Owner: engine.';
COMMENT ON COLUMN pending_work.host_id IS 'The host that it follows from, null for none; it may be gone. Owner: engine.';
COMMENT ON COLUMN pending_work.why IS 'One clause for people. Owner: engine.';
COMMENT ON COLUMN pending_work.created_at IS 'When monitoring came to the conclusion. Owner: engine.';
COMMENT ON COLUMN pending_work.taken_over_at IS 'When a command took it over, null while it is open. Owner: engine.';
COMMENT ON COLUMN pending_work.taken_over_by IS 'The operation that took it over, null while it is open. Owner: engine.';
