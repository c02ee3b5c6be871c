package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A virtual machine. */
public record Vm(
        @Attribute String id,
        @Attribute String href,
        @Nullable Actions actions,
        String name,
        @Nullable String description,
        @Nullable String comment,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        Bios bios,
        @Nullable Console console,
        Cpu cpu,
        @Nullable String cpuPinningPolicy,
        Integer cpuShares,
        Instant creationTime,
        @Nullable String customCompatibilityVersion,
        @Nullable String customCpuModel,
        @Nullable String customEmulatedMachine,
        @Nullable Listing<Property> customProperties,
        Boolean deleteProtected,
        @Nullable Display display,
        @Nullable String fqdn,
        @Nullable GuestOperatingSystem guestOperatingSystem,
        @Nullable TimeZone guestTimeZone,
        @Nullable Boolean hasIllegalImages,
        HighAvailability highAvailability,
        @Nullable Initialization initialization,
        Io io,
        Entity largeIcon,
        @Nullable Lease lease,
        Long memory,
        MemoryPolicy memoryPolicy,
        @Nullable Boolean multiQueuesEnabled,
        Boolean nextRunConfigurationExists,
        @Nullable String numaTuneMode,
        @Nullable String origin,
        Os os,
        @Nullable PlacementPolicy placementPolicy,
        @Nullable RngDevice rngDevice,
        Boolean runOnce,
        @Nullable SerialNumber serialNumber,
        @Nullable Boolean soundcardEnabled,
        Entity smallIcon,
        Sso sso,
        Boolean startPaused,
        @Nullable Instant startTime,
        Boolean stateless,
        String status,
        @Nullable String statusDetail,
        @Nullable String stopReason,
        @Nullable Instant stopTime,
        @Nullable String storageErrorResumeBehaviour,
        TimeZone timeZone,
        @Nullable Boolean tpmEnabled,
        String type,
        Usb usb,
        @Nullable VirtioScsi virtioScsi,
        Entity cluster,
        @Nullable Entity host,
        Entity originalTemplate,
        Entity template,
        @Nullable Entity vmPool,
        @JsonUnwrapped Inlined inlined)
        implements Entity {
    /** Firmware. */
    public record Bios(BootMenu bootMenu, String type) {}

    /** Whether the firmware shows a boot menu. */
    public record BootMenu(Boolean enabled) {}

    /** A serial console; only where all content is requested. */
    public record Console(Boolean enabled) {}

    /** Screens. */
    public record Display(
            @Nullable String address,
            @Nullable String keyboardLayout,
            @Nullable Integer monitors,
            @Nullable Integer port,
            @Nullable Integer securePort,
            String type,
            @Nullable String videoType) {}

    /** System of the guest, as its agent reports it. */
    public record GuestOperatingSystem(
            @Nullable String architecture,
            @Nullable String codename,
            @Nullable String distribution,
            @Nullable String family,
            @Nullable Kernel kernel,
            @Nullable Version version) {}

    /** A kernel. */
    public record Kernel(Version version) {}

    /** A time zone; the offset as {@code +01:00}. */
    public record TimeZone(String name, @Nullable String utcOffset) {}

    /** Whether it is started again after a failure, and before which others. */
    public record HighAvailability(Boolean enabled, Integer priority) {}

    /** First start; only where all content is requested. */
    public record Initialization(@Nullable String hostName) {}

    /** Sizes in bytes. */
    public record MemoryPolicy(Boolean ballooning, Long guaranteed, Long max) {}

    /** The system it is defined for, and its boot devices. */
    public record Os(@Nullable Boot boot, String type) {}

    /** Devices to boot from, best first. */
    public record Boot(Listing<String> devices) {}

    /** Whether and where it may move. */
    public record PlacementPolicy(String affinity) {}

    /** Source of the guest's randomness; only if all content is requested. */
    public record RngDevice(@Nullable Rate rate, String source) {}

    /** The most that the guest gets; the period in ms. */
    public record Rate(Integer bytes, @Nullable Integer period) {}

    /** Threads that serve disks. */
    public record Io(Integer threads) {}

    /** The storage domain on which the VM has a lease. */
    public record Lease(Entity storageDomain) {}

    /** Which serial number the guest sees. */
    public record SerialNumber(String policy) {}

    /** Whether USB devices are redirected into the VM. */
    public record Usb(Boolean enabled) {}

    /** Ways to log in to the guest with the console. */
    public record Sso(Listing<Identified> methods) {}

    /** A virtio-scsi controller; only where all content is requested. */
    public record VirtioScsi(Boolean enabled) {}
}
