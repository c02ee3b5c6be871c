-- Updatable: the device token of vm_dynamic and its key. It is written with the devices it belongs to, never alone.

DROP VIEW IF EXISTS vm_device_hash_light;

CREATE VIEW vm_device_hash_light AS
SELECT vm_guid, hash
  FROM vm_dynamic;

COMMENT ON VIEW vm_device_hash_light IS 'Token of the host for the stored devices of each VM. Updatable.';

SELECT grant_to_monitoring('SELECT, UPDATE', 'vm_device_hash_light');
SELECT grant_reading('vm_device_hash_light');
