-- A job of a VM becomes known when its host reports it.
COMMENT ON COLUMN vm_jobs.vm_job_id IS 'Identity, as the host reports it. Owner: reported.';
COMMENT ON COLUMN vm_jobs.image_group_id IS 'The disk, null when the host does not say. Owner: reported.';
