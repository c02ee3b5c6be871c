-- A job of a VM becomes known when its host reports it. Two VMs may report the same identity: no host changes the
-- jobs of another host's VM.
ALTER TABLE vm_jobs DROP CONSTRAINT vm_jobs_pkey;
ALTER TABLE vm_jobs ADD PRIMARY KEY (vm_id, vm_job_id);
DROP INDEX idx_vm_jobs_vm_id;
COMMENT ON COLUMN vm_jobs.vm_job_id IS 'Identity, as the host reports it; one of its VM only. Owner: reported.';
COMMENT ON COLUMN vm_jobs.image_group_id IS 'The disk, null when the host does not say. Owner: reported.';
