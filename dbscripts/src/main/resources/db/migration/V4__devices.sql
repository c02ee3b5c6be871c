-- Devices in full, and what VMs keep outside their disks.

ALTER TABLE vm_device
    ADD COLUMN host_device       text NOT NULL DEFAULT '',
    ADD COLUMN spec_params       text NOT NULL DEFAULT '',
    ADD COLUMN custom_properties text NOT NULL DEFAULT '',
    ADD COLUMN snapshot_id       uuid;

COMMENT ON COLUMN vm_device.host_device IS 'The host''s device that is passed through, by libvirt''s name for it, empty for none. Owner: reported.';
COMMENT ON COLUMN vm_device.spec_params IS 'Parameters of the device, JSON text, empty for none. Owner: engine.';
COMMENT ON COLUMN vm_device.custom_properties IS 'Custom properties, JSON text, empty for none. Owner: engine.';
COMMENT ON COLUMN vm_device.snapshot_id IS 'Snapshot that the device belongs to, null for the running VM. Owner: engine.';

CREATE TABLE vm_external_data (
    vm_guid uuid     NOT NULL REFERENCES vm_static ON DELETE CASCADE,
    kind    smallint NOT NULL,
    hash    text     NOT NULL,
    data    text     NOT NULL,
    PRIMARY KEY (vm_guid, kind)
);

COMMENT ON TABLE vm_external_data IS 'What VMs keep outside their disks: TPM and NVRAM. Written when a host''s hash of it changes.';
COMMENT ON COLUMN vm_external_data.vm_guid IS 'The VM. Owner: engine.';
COMMENT ON COLUMN vm_external_data.kind IS 'Code of ExternalDataKind; 0 is the TPM, 1 the NVRAM. Owner: engine.';
COMMENT ON COLUMN vm_external_data.hash IS 'The host''s hash of the data. Owner: reported.';
COMMENT ON COLUMN vm_external_data.data IS 'The data as the host gave it, base64. It holds the guest''s keys: a secret. Owner: reported.';
