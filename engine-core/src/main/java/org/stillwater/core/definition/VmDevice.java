package org.stillwater.core.definition;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A device of a VM ({@code vm_device}, monitoring specification §1.5). Monitoring writes {@code
 * plugged}, {@code address}, {@code alias}, {@code logicalName}, {@code hostDevice} and {@code
 * volume}; the rest is decided when the device is created.
 *
 * @param id identity of the device
 * @param type general type: {@code disk}, {@code interface}, {@code video}, {@code graphics},
 *     {@code controller}, …
 * @param device device name: {@code disk}, {@code cdrom}, {@code bridge}, {@code vnc}, …
 * @param address bus address as text, empty for none
 * @param alias libvirt alias, empty for none
 * @param managed whether the engine created it; false for discovered devices
 * @param plugged whether the guest sees it
 * @param readOnly whether the guest may not write to it
 * @param logicalName name inside the guest, null when unknown
 * @param hostDevice the host's device that is passed through, by the name that libvirt gives it,
 *     empty for none
 * @param specParams parameters of the device as JSON text, empty for none; never parsed here
 * @param customProperties custom properties as JSON text, empty for none; never parsed here
 * @param snapshotId the snapshot that the device belongs to, null for the running VM
 * @param volume image and storage domain of a disk as its host reported them last; null for other
 *     devices, disks that are no volume of a storage domain, and disks that were never reported
 */
public record VmDevice(
        UUID id,
        String type,
        String device,
        String address,
        String alias,
        boolean managed,
        boolean plugged,
        boolean readOnly,
        @Nullable String logicalName,
        String hostDevice,
        String specParams,
        String customProperties,
        @Nullable UUID snapshotId,
        @Nullable DiskImage volume) {

    /** A device that no host has reported as a volume of a storage domain. */
    public VmDevice(
            UUID id,
            String type,
            String device,
            String address,
            String alias,
            boolean managed,
            boolean plugged,
            boolean readOnly,
            @Nullable String logicalName,
            String hostDevice,
            String specParams,
            String customProperties,
            @Nullable UUID snapshotId) {
        this(
                id,
                type,
                device,
                address,
                alias,
                managed,
                plugged,
                readOnly,
                logicalName,
                hostDevice,
                specParams,
                customProperties,
                snapshotId,
                null);
    }

    /** A device of the running VM without parameters, and not one of the host's. */
    public VmDevice(
            UUID id,
            String type,
            String device,
            String address,
            String alias,
            boolean managed,
            boolean plugged,
            boolean readOnly,
            @Nullable String logicalName) {
        this(
                id,
                type,
                device,
                address,
                alias,
                managed,
                plugged,
                readOnly,
                logicalName,
                "",
                "",
                "",
                null);
    }

    /** This device as the guest sees it now. */
    public VmDevice pluggedAt(
            String newAddress,
            String newAlias,
            @Nullable String newLogicalName,
            String newHostDevice) {
        return new VmDevice(
                id,
                type,
                device,
                newAddress,
                newAlias,
                managed,
                true,
                readOnly,
                newLogicalName,
                newHostDevice,
                specParams,
                customProperties,
                snapshotId,
                volume);
    }

    /** This device with the image and domain that its host reports now. */
    public VmDevice with(@Nullable DiskImage reported) {
        return new VmDevice(
                id,
                type,
                device,
                address,
                alias,
                managed,
                plugged,
                readOnly,
                logicalName,
                hostDevice,
                specParams,
                customProperties,
                snapshotId,
                reported);
    }

    /** This device, which the guest no longer sees. */
    public VmDevice unplugged() {
        return new VmDevice(
                id,
                type,
                device,
                "",
                alias,
                managed,
                false,
                readOnly,
                logicalName,
                hostDevice,
                specParams,
                customProperties,
                snapshotId,
                volume);
    }
}
