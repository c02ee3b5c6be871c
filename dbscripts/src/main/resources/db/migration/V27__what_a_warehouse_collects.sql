-- What a data warehouse collects besides samples: since when devices are as they are, the interfaces of hosts one by one,
-- and room in the audit log for what it tells of itself. Rows of devices that are there count from now on.

ALTER TABLE vm_device
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now();

-- What is new, and which VMs have a disk, is found without reading all devices.
CREATE INDEX idx_vm_device_changed_at ON vm_device (changed_at);
CREATE INDEX idx_vm_device_disk ON vm_device (device_id) WHERE type = 'disk' AND device = 'disk';

COMMENT ON COLUMN vm_device.created_at IS 'When the device was first seen. Owner: engine.';
COMMENT ON COLUMN vm_device.changed_at IS 'When it was last seen to differ; created_at if it never did. Owner: engine.';

CREATE TABLE host_interface (
    host_id      uuid        NOT NULL REFERENCES host_static ON DELETE CASCADE,
    name         text        NOT NULL,
    management   boolean     NOT NULL,
    speed        integer,
    mac_addr     text,
    network_name text,
    address      text,
    gateway      text,
    is_bond      boolean     NOT NULL,
    bond_name    text,
    vlan_id      integer,
    created_at   timestamptz NOT NULL DEFAULT now(),
    changed_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (host_id, name)
);

COMMENT ON TABLE host_interface IS 'Cards, bonds and VLAN interfaces of hosts, for readers outside the engine. Made of the structures in host_dynamic by a trigger there, when these change.';
COMMENT ON COLUMN host_interface.host_id IS 'The host. Owner: engine.';
COMMENT ON COLUMN host_interface.name IS 'Name of the interface on its host. Owner: reported (capabilities).';
COMMENT ON COLUMN host_interface.management IS 'Whether the engine is connected through it. Owner: reported (capabilities).';
COMMENT ON COLUMN host_interface.speed IS 'Speed, Mbit/s; null when not reported. Owner: reported (capabilities).';
COMMENT ON COLUMN host_interface.mac_addr IS 'MAC address, null when not reported. Owner: reported (capabilities).';
COMMENT ON COLUMN host_interface.network_name IS 'Logical network that it carries, the first by name; null for none. Owner: reported (capabilities).';
COMMENT ON COLUMN host_interface.address IS 'IPv4 address of that network, else its own; null for none. Owner: reported (capabilities).';
COMMENT ON COLUMN host_interface.gateway IS 'IPv4 gateway of that network, else its own; null for none. Owner: reported (capabilities).';
COMMENT ON COLUMN host_interface.is_bond IS 'Whether it is a bond. Owner: reported (capabilities).';
COMMENT ON COLUMN host_interface.bond_name IS 'The bond that it is part of, null for none. Owner: reported (capabilities).';
COMMENT ON COLUMN host_interface.vlan_id IS 'Number of its VLAN, null for none. Owner: reported (capabilities).';
COMMENT ON COLUMN host_interface.created_at IS 'When it was first reported. Owner: engine.';
COMMENT ON COLUMN host_interface.changed_at IS 'When it was last reported to differ; created_at if it never was. Owner: engine.';

-- A data warehouse gives its entries no number. Numbers below 0 are none of the engine's, and the engine counts on from the
-- greatest that it finds. Who may add which entries is said beside the roles.
ALTER TABLE audit_log
    ALTER COLUMN audit_log_id SET DEFAULT -(extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;

CREATE POLICY everybody_reads ON audit_log FOR SELECT USING (true);

COMMENT ON COLUMN audit_log.audit_log_id IS 'Grows with every entry of the engine, and is negative for one of a data warehouse; with log_time it is the key, so that writing an entry twice keeps one. Owner: engine.';

-- A data warehouse reads names of operating systems when they are newer than what it has.
UPDATE dwh_history_timekeeping
   SET var_datetime = now()
 WHERE var_name = 'lastOsinfoUpdate' AND var_datetime = '2000-01-01 00:00:00+00';

COMMENT ON TABLE dwh_history_timekeeping IS 'How far a data warehouse has read, and whether the engine lives: a row for each thing that one side tells the other. A data warehouse adds rows that it misses.';
