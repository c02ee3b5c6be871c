-- Where the disks of VMs are that the engine did not define: hosts name image and storage domain of each disk.

ALTER TABLE vm_device
    ADD COLUMN image_id          uuid,
    ADD COLUMN storage_domain_id uuid,
    ADD CONSTRAINT vm_device_volume_check CHECK ((image_id IS NULL) = (storage_domain_id IS NULL));

COMMENT ON COLUMN vm_device.image_id IS 'Image of a disk as its host reported it last, null for none. Owner: reported.';
COMMENT ON COLUMN vm_device.storage_domain_id IS 'Storage domain of that image as the host reported it last, null for none. Owner: reported.';

-- Devices of VMs without a definition are read once more, with the next report of their hosts.
UPDATE vm_dynamic AS d
   SET hash = ''
 WHERE d.hash <> ''
   AND NOT EXISTS (SELECT FROM vm_specification AS s WHERE s.vm_guid = d.vm_guid AND s.specification IS NOT NULL);
