-- What people and commands say of a host besides where it is. Rules read it: who can be fenced by power management is told
-- of differently, and who manages storage is forgiven longer.

ALTER TABLE host_static
    ADD COLUMN power_management     boolean NOT NULL DEFAULT false,
    ADD COLUMN kdump_integration    boolean NOT NULL DEFAULT false,
    ADD COLUMN storage_pool_manager boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN host_static.power_management IS 'Whether its power can be managed. Owner: engine.';
COMMENT ON COLUMN host_static.kdump_integration IS 'Whether it tells when it dumps its kernel. Owner: engine.';
COMMENT ON COLUMN host_static.storage_pool_manager IS 'Whether it manages the storage of its data centre. Owner: engine.';
