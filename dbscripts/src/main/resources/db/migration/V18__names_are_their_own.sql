-- What people give to one VM only, so that two engines, or an engine and somebody with a database client, cannot give it
-- twice: its name and its MAC addresses, each once in a data centre. VMs that were found on hosts are left out, because
-- hosts do not ask. Of VMs that had something in common before, the oldest has it; the others keep it too, but are not
-- given it again once they have something else.

ALTER TABLE cluster ADD CONSTRAINT cluster_in_data_centre UNIQUE (cluster_id, data_centre_id);

CREATE TABLE vm_claim (
    vm_guid        uuid     NOT NULL REFERENCES vm_static ON DELETE CASCADE,
    kind           smallint NOT NULL,
    value          text     NOT NULL,
    cluster_id     uuid     NOT NULL,
    data_centre_id uuid     NOT NULL,
    PRIMARY KEY (vm_guid, kind, value),
    FOREIGN KEY (cluster_id, data_centre_id) REFERENCES cluster (cluster_id, data_centre_id)
        ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE UNIQUE INDEX idx_vm_claim_once ON vm_claim (data_centre_id, kind, value);
CREATE INDEX idx_vm_claim_cluster ON vm_claim (cluster_id, data_centre_id);

COMMENT ON TABLE vm_claim IS 'What belongs to one VM of a data centre only: names and MAC addresses that people gave.';
COMMENT ON COLUMN vm_claim.vm_guid IS 'The VM. Owner: engine.';
COMMENT ON COLUMN vm_claim.kind IS 'Code of what it is: 1 a name, 2 a MAC address. Owner: engine.';
COMMENT ON COLUMN vm_claim.value IS 'The name, or the MAC address in lower case with colons. Owner: engine.';
COMMENT ON COLUMN vm_claim.cluster_id IS 'The cluster of the VM. Owner: engine.';
COMMENT ON COLUMN vm_claim.data_centre_id IS 'The data centre of that cluster, in which there is no other VM with it. Owner: engine.';

INSERT INTO vm_claim (vm_guid, kind, value, cluster_id, data_centre_id)
SELECT DISTINCT ON (c.data_centre_id, s.vm_name)
       s.vm_guid, 1, s.vm_name, c.cluster_id, c.data_centre_id
  FROM vm_static AS s
  JOIN cluster AS c USING (cluster_id)
 WHERE s.origin <> 4
 ORDER BY c.data_centre_id, s.vm_name, s.creation_date, s.vm_guid;

INSERT INTO vm_claim (vm_guid, kind, value, cluster_id, data_centre_id)
SELECT DISTINCT ON (c.data_centre_id, lower(i.mac_addr))
       s.vm_guid, 2, lower(i.mac_addr), c.cluster_id, c.data_centre_id
  FROM vm_interface AS i
  JOIN vm_static AS s USING (vm_guid)
  JOIN cluster AS c USING (cluster_id)
 WHERE s.origin <> 4
 ORDER BY c.data_centre_id, lower(i.mac_addr), s.creation_date, s.vm_guid;

-- Starts of cold reboots are few; those that failed are looked for when the engine starts.
CREATE INDEX idx_operation_cold_reboot ON operation (created_at, operation_id)
 WHERE kind = 1 AND parameters ->> 'cause' = 'COLD_REBOOT';
