-- Words that people put on VMs and hosts, in a tree.

CREATE TABLE tag (
    tag_id      uuid PRIMARY KEY,
    name        text NOT NULL UNIQUE,
    description text NOT NULL,
    parent_id   uuid REFERENCES tag ON DELETE CASCADE
);

CREATE INDEX idx_tag_parent ON tag (parent_id);

COMMENT ON TABLE tag IS 'Words that people put on VMs and hosts, in a tree. Its root is no row.';
COMMENT ON COLUMN tag.tag_id IS 'Identity. Owner: engine.';
COMMENT ON COLUMN tag.name IS 'Name, unique. Owner: engine.';
COMMENT ON COLUMN tag.description IS 'What it is for, perhaps empty. Owner: engine.';
COMMENT ON COLUMN tag.parent_id IS 'The tag above it, null for the root. Owner: engine.';

CREATE TABLE tag_vm (
    tag_id  uuid NOT NULL REFERENCES tag ON DELETE CASCADE,
    vm_guid uuid NOT NULL REFERENCES vm_static ON DELETE CASCADE,
    PRIMARY KEY (tag_id, vm_guid)
);

CREATE INDEX idx_tag_vm_vm ON tag_vm (vm_guid);

COMMENT ON TABLE tag_vm IS 'Which VMs have which tags.';
COMMENT ON COLUMN tag_vm.tag_id IS 'The tag. Owner: engine.';
COMMENT ON COLUMN tag_vm.vm_guid IS 'The VM. Owner: engine.';

CREATE TABLE tag_host (
    tag_id  uuid NOT NULL REFERENCES tag ON DELETE CASCADE,
    host_id uuid NOT NULL REFERENCES host_static ON DELETE CASCADE,
    PRIMARY KEY (tag_id, host_id)
);

CREATE INDEX idx_tag_host_host ON tag_host (host_id);

COMMENT ON TABLE tag_host IS 'Which hosts have which tags.';
COMMENT ON COLUMN tag_host.tag_id IS 'The tag. Owner: engine.';
COMMENT ON COLUMN tag_host.host_id IS 'The host. Owner: engine.';
