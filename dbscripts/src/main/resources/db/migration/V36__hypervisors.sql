-- A cluster is one of hosts with agents of their own, or a pool that XAPI manages. All that were there are the former.
ALTER TABLE cluster ADD COLUMN hypervisor smallint NOT NULL DEFAULT 0;
COMMENT ON COLUMN cluster.hypervisor IS 'Code of what manages its hosts: 0 VDSM, 1 XAPI. Owner: engine.';
ALTER TABLE cluster_configuration ADD COLUMN hypervisor smallint NOT NULL DEFAULT 0;
ALTER TABLE cluster_configuration ALTER COLUMN hypervisor DROP DEFAULT;
COMMENT ON COLUMN cluster_configuration.hypervisor IS 'Code of what manages its hosts: 0 VDSM, 1 XAPI. Owner: engine.';
