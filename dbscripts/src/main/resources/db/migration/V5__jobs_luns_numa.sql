-- Three subjects beside a VM's row, each written only when its own trigger fires: jobs when a host's list of them
-- differs, LUN sizes when a VM began to power up, NUMA nodes when a host says that it is another machine than before.

CREATE TABLE vm_jobs (
    vm_job_id      uuid     PRIMARY KEY,
    vm_id          uuid     NOT NULL REFERENCES vm_static ON DELETE CASCADE,
    job_state      smallint NOT NULL DEFAULT 0,
    job_type       smallint NOT NULL DEFAULT 0,
    block_job_type smallint NOT NULL DEFAULT 0,
    bandwidth      bigint   NOT NULL DEFAULT 0,
    cursor_cur     bigint   NOT NULL DEFAULT 0,
    cursor_end     bigint   NOT NULL DEFAULT 0,
    image_group_id uuid
);

CREATE INDEX idx_vm_jobs_vm_id ON vm_jobs (vm_id);

COMMENT ON TABLE vm_jobs IS 'Jobs that hosts do on VMs, live merges today. Read at the engine''s start, written on change only.';
COMMENT ON COLUMN vm_jobs.vm_job_id IS 'Identity, chosen by the command that started it. Owner: engine.';
COMMENT ON COLUMN vm_jobs.vm_id IS 'The VM. Owner: engine.';
COMMENT ON COLUMN vm_jobs.job_state IS 'Code of JobState; 0 is unknown, 1 reported by a host. Owner: reported.';
COMMENT ON COLUMN vm_jobs.job_type IS 'Code of JobType; 1 is a job on a disk. Owner: reported.';
COMMENT ON COLUMN vm_jobs.block_job_type IS 'Code of BlockJobType; 3 is a commit, that is a live merge. Owner: reported.';
COMMENT ON COLUMN vm_jobs.bandwidth IS 'Limit of the pace, MiB/s; 0 for none. Owner: reported.';
COMMENT ON COLUMN vm_jobs.cursor_cur IS 'How much is done, bytes. Owner: reported.';
COMMENT ON COLUMN vm_jobs.cursor_end IS 'How much there is to do, bytes; 0 until a host says. Owner: reported.';
COMMENT ON COLUMN vm_jobs.image_group_id IS 'The disk, null when nobody said. Owner: engine.';

CREATE TABLE luns (
    lun_id         text    PRIMARY KEY,
    device_size_gb integer NOT NULL DEFAULT 0
);

COMMENT ON TABLE luns IS 'LUNs that VMs use as disks directly.';
COMMENT ON COLUMN luns.lun_id IS 'GUID of the LUN as hosts report it. Owner: engine.';
COMMENT ON COLUMN luns.device_size_gb IS 'Size, GiB, rounded down; 0 until a host says. Owner: reported, when a VM that uses it powers up.';

CREATE TABLE disk_lun_map (
    disk_id uuid PRIMARY KEY,
    lun_id  text NOT NULL REFERENCES luns ON DELETE CASCADE
);

CREATE INDEX idx_disk_lun_map_lun_id ON disk_lun_map (lun_id);

COMMENT ON TABLE disk_lun_map IS 'Which disks are LUNs. A VM uses the LUN when its vm_device of this id is plugged.';
COMMENT ON COLUMN disk_lun_map.disk_id IS 'The disk: vm_device.device_id of every VM that has it. Owner: engine.';
COMMENT ON COLUMN disk_lun_map.lun_id IS 'The LUN. Owner: engine.';

CREATE TABLE numa_node (
    host_id      uuid      NOT NULL REFERENCES host_static ON DELETE CASCADE,
    node_index   integer   NOT NULL,
    mem_total_mb bigint,
    cpu_ids      integer[] NOT NULL DEFAULT '{}',
    distances    integer[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (host_id, node_index)
);

COMMENT ON TABLE numa_node IS 'NUMA nodes of hosts: what they are. How busy they are stays in memory. Written when capabilities differ.';
COMMENT ON COLUMN numa_node.host_id IS 'The host. Owner: engine.';
COMMENT ON COLUMN numa_node.node_index IS 'Number of the node on its host. Owner: reported (capabilities).';
COMMENT ON COLUMN numa_node.mem_total_mb IS 'Memory of the node, MiB; null when not reported. Owner: reported (capabilities).';
COMMENT ON COLUMN numa_node.cpu_ids IS 'Numbers of its processors, in the order reported. Owner: reported (capabilities).';
COMMENT ON COLUMN numa_node.distances IS 'Distance to each node of the host, in their order. Owner: reported (capabilities).';
