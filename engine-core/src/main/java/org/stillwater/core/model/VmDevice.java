package org.stillwater.core.model;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A device of a VM ({@code vm_device}).
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
        @Nullable String logicalName) {}
