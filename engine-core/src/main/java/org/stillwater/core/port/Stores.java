package org.stillwater.core.port;

/**
 * Everything that is durable, one store per subject.
 *
 * @param hosts hosts
 * @param vms VMs
 * @param devices devices of VMs
 * @param externalData TPM and NVRAM data of VMs
 * @param audit what people were told
 */
public record Stores(
        HostStore hosts,
        VmStore vms,
        DeviceStore devices,
        ExternalDataStore externalData,
        AuditStore audit) {}
