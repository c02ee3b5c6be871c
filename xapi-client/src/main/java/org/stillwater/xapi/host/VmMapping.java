package org.stillwater.xapi.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.xapi.client.XapiRecord;

/** Maps a pool's records to a VM (XAPI specification §1.9). Pure. */
final class VmMapping {

    /** A pool's data about a guest, besides its status. */
    static final List<RuntimeField> FIELDS =
            List.of(
                    RuntimeField.GUEST_OS,
                    RuntimeField.GUEST_OS_KERNEL,
                    RuntimeField.GUEST_OS_DISTRIBUTION,
                    RuntimeField.GUEST_OS_VERSION,
                    RuntimeField.GUEST_NICS);

    private static final long MEBIBYTE = 1024 * 1024;

    /** Nominal speed of an interface, the base of its usage: XAPI reports none. Mbit/s. */
    private static final int NIC_SPEED = 1_000;

    private VmMapping() {}

    /** Whether a record of class VM is a VM: no template, snapshot or control domain. */
    static boolean isVm(XapiRecord vm) {
        return !vm.flag("is_a_template")
                && !vm.flag("is_default_template")
                && !vm.flag("is_a_snapshot")
                && !vm.flag("is_control_domain");
    }

    /**
     * The VM; null if its identity is no UUID.
     *
     * @param objects the pool's objects, for its devices; missing ones are left out
     */
    static @Nullable PoolVm of(String ref, XapiRecord vm, PoolObjects objects, ClusterId cluster) {
        VmId id;
        try {
            id = VmId.parse(vm.text("uuid"));
        } catch (IllegalArgumentException _) {
            return null;
        }
        VmStatus status = status(vm);
        HostId host = status.isNotRunning() ? null : host(objects, residence(vm));
        HostId to =
                status == VmStatus.MIGRATING_FROM
                        ? host(objects, vm.reference("scheduled_to_be_resident_on"))
                        : null;
        XapiRecord metrics = objects.find(PoolObjects.VM_METRICS, vm.reference("metrics"));
        return new PoolVm(
                id,
                ref,
                definition(id, vm, objects, cluster),
                host,
                to == null || to.equals(host) ? null : to,
                status,
                values(vm, objects),
                vm.number("domid"),
                metrics == null ? null : PoolObjects.time(metrics.text("start_time")),
                PoolObjects.tags(vm));
    }

    private static @Nullable HostId host(PoolObjects objects, @Nullable String ref) {
        XapiRecord host = objects.find(PoolObjects.HOST, ref);
        try {
            return host == null ? null : HostId.parse(host.text("uuid"));
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    /** The power state, unless a running operation gives a more exact one. */
    static VmStatus status(XapiRecord vm) {
        VmStatus rests =
                switch (vm.text("power_state")) {
                    case "Halted" -> VmStatus.DOWN;
                    case "Suspended" -> VmStatus.SUSPENDED;
                    case "Paused" -> VmStatus.PAUSED;
                    case "Running" -> VmStatus.UP;
                    default -> VmStatus.UNASSIGNED;
                };
        for (String operation : vm.map("current_operations").values()) {
            VmStatus status = underWay(operation, vm, rests);
            if (status != null) {
                return status;
            }
        }
        return rests;
    }

    /**
     * The status of a VM during an operation; null if the operation does not show, or no longer.
     */
    private static @Nullable VmStatus underWay(String operation, XapiRecord vm, VmStatus rests) {
        String resident = vm.reference("resident_on");
        String scheduled = vm.reference("scheduled_to_be_resident_on");
        boolean runs = !rests.isNotRunning();
        return switch (operation) {
            // A VM that is started has a host before it runs.
            case "start", "start_on" ->
                    resident == null && scheduled == null ? null : VmStatus.POWERING_UP;
            case "resume", "resume_on" ->
                    resident == null && scheduled == null ? null : VmStatus.RESTORING_STATE;
            // The state changes before the operation is over.
            case "clean_shutdown", "hard_shutdown", "shutdown" ->
                    runs ? VmStatus.POWERING_DOWN : null;
            case "suspend" -> runs ? VmStatus.SAVING_STATE : null;
            case "clean_reboot", "hard_reboot" -> runs ? VmStatus.REBOOT_IN_PROGRESS : null;
            case "pool_migrate", "migrate_send" ->
                    runs && !(resident != null && resident.equals(scheduled))
                            ? VmStatus.MIGRATING_FROM
                            : null;
            default -> null;
        };
    }

    /** The host on which a VM's process runs, or is about to run. */
    private static @Nullable String residence(XapiRecord vm) {
        String resident = vm.reference("resident_on");
        return resident == null ? vm.reference("scheduled_to_be_resident_on") : resident;
    }

    private static VmStatic definition(
            VmId id, XapiRecord vm, PoolObjects objects, ClusterId cluster) {
        String name = SafeText.of(vm.text("name_label"), ReportedText.VM_NAME.mostCharacters());
        int memory = mebibytes(vm.number("memory_dynamic_max"));
        int cpus = Math.clamp(vm.number("VCPUs_max"), 1, 4096);
        int cores = number(vm.map("platform").get("cores-per-socket"));
        boolean even = cores > 0 && cpus % cores == 0;
        return new VmStatic(
                name.isBlank() ? id.toString() : name,
                VmOrigin.EXTERNAL,
                false,
                memory,
                Math.min(memory, mebibytes(vm.number("memory_dynamic_min"))),
                even ? cpus / cores : cpus,
                even ? cores : 1,
                1,
                nics(vm, objects),
                false,
                cluster);
    }

    private static int mebibytes(long bytes) {
        return Math.clamp(bytes / MEBIBYTE, 0, Integer.MAX_VALUE);
    }

    private static int number(@Nullable String text) {
        try {
            return text == null ? 0 : Integer.parseInt(text);
        } catch (NumberFormatException _) {
            return 0;
        }
    }

    private static List<VmNic> nics(XapiRecord vm, PoolObjects objects) {
        TreeMap<String, VmNic> byDevice = new TreeMap<>();
        for (String ref : vm.list("VIFs")) {
            XapiRecord vif = objects.find(PoolObjects.VIF, ref);
            if (vif == null) {
                continue;
            }
            try {
                String device = SafeText.of(vif.text("device"), 16);
                byDevice.put(
                        device,
                        new VmNic(
                                VmId.parse(vif.text("uuid")).toUuid(),
                                "nic" + device,
                                mac(vif.text("MAC")),
                                null,
                                NIC_SPEED));
            } catch (IllegalArgumentException _) {
                // An interface without an identity cannot be kept.
            }
        }
        return List.copyOf(byDevice.values());
    }

    /** The usual form of a MAC address; empty for any other text. */
    static String mac(String text) {
        long mac = VmSample.Nic.macOf(text);
        return mac == VmSample.NOT_REPORTED ? "" : VmSample.Nic.macText(mac);
    }

    private static List<@Nullable Object> values(XapiRecord vm, PoolObjects objects) {
        XapiRecord guest = objects.find(PoolObjects.GUEST_METRICS, vm.reference("guest_metrics"));
        Map<String, String> system = guest == null ? Map.of() : guest.map("os_version");
        String major = system.getOrDefault("major", "");
        String minor = system.getOrDefault("minor", "");
        return Collections.unmodifiableList(
                Arrays.<@Nullable Object>asList(
                        text(RuntimeField.GUEST_OS, system.get("name")),
                        text(RuntimeField.GUEST_OS_KERNEL, system.get("uname")),
                        text(RuntimeField.GUEST_OS_DISTRIBUTION, system.get("distro")),
                        text(
                                RuntimeField.GUEST_OS_VERSION,
                                major.isEmpty() || minor.isEmpty() ? major : major + "." + minor),
                        guest == null ? GuestNics.NONE : guestNics(vm, guest, objects)));
    }

    private static @Nullable String text(RuntimeField field, @Nullable String value) {
        return value == null || value.isBlank() ? null : SafeText.of(value, field.mostCharacters());
    }

    /** Keys of the addresses are {@code 0/ip}, {@code 0/ipv4/0}, {@code 0/ipv6/0}. */
    private static GuestNics guestNics(XapiRecord vm, XapiRecord guest, PoolObjects objects) {
        Map<String, String> macs = new TreeMap<>();
        for (String ref : vm.list("VIFs")) {
            XapiRecord vif = objects.find(PoolObjects.VIF, ref);
            if (vif != null) {
                macs.put(vif.text("device"), mac(vif.text("MAC")));
            }
        }
        int most = ReportedText.GUEST_NIC_ADDRESSES.mostEntries();
        int characters = ReportedText.GUEST_NIC_ADDRESSES.mostCharacters();
        Map<String, List<String>> ipv4 = new TreeMap<>();
        Map<String, List<String>> ipv6 = new TreeMap<>();
        new TreeMap<>(guest.map("networks"))
                .forEach((key, value) -> {
                    int slash = key.indexOf('/');
                    String device = slash < 0 ? key : key.substring(0, slash);
                    if (!macs.containsKey(device) || value.isBlank()) {
                        return;
                    }
                    List<String> of =
                            (value.indexOf(':') < 0 ? ipv4 : ipv6)
                                    .computeIfAbsent(device, _ -> new ArrayList<>());
                    String address = SafeText.of(value, characters);
                    if (of.size() < most && !of.contains(address)) {
                        of.add(address);
                    }
                });
        List<GuestNic> nics = new ArrayList<>();
        macs.forEach((device, mac) -> {
            List<String> four = ipv4.getOrDefault(device, List.of());
            List<String> six = ipv6.getOrDefault(device, List.of());
            if (!four.isEmpty() || !six.isEmpty()) {
                nics.add(new GuestNic("eth" + SafeText.of(device, 16), mac, four, six));
            }
        });
        return nics.isEmpty() ? GuestNics.NONE : new GuestNics(digest(nics), nics);
    }

    private static long digest(List<GuestNic> nics) {
        long digest = 1;
        String all = nics.toString();
        for (int i = 0; i < all.length(); i++) {
            digest = digest * 1_099_511_628_211L + all.charAt(i);
        }
        return digest == 0 ? 1 : digest;
    }

    /** The identity of a disk; null if it is no UUID. */
    static @Nullable VmId image(XapiRecord vdi) {
        try {
            return VmId.of(UUID.fromString(vdi.text("uuid").toLowerCase(Locale.ROOT)));
        } catch (IllegalArgumentException _) {
            return null;
        }
    }
}
