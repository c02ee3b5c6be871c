package org.stillwater.core.analysis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.DeviceChanges.SkipReason;
import org.stillwater.core.analysis.DeviceChanges.Skipped;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.ReportedDevice;
import org.stillwater.core.report.ReportedDevices;

/**
 * Compares the known devices of a VM with the list of its host (monitoring specification §4.12).
 */
public final class DeviceAnalysis {

    /** Number of characters of a disk's serial number, its id, that a guest shows. */
    private static final int SERIAL_CHARACTERS = 20;

    private static final String VIRTIO_SERIAL = "virtio-serial";

    /** General type of a memory module; its unplugging ends when it is gone. */
    public static final String MEMORY = "memory";

    private DeviceAnalysis() {}

    /**
     * Changes that the report requires of the known devices.
     *
     * @param known the devices as they are saved
     * @param reported devices that the host lists
     * @param changedSince whether a command changed the device with this identity after the list
     *     was requested, so that the list is too old for it
     */
    public static DeviceChanges compare(
            Collection<VmDevice> known, ReportedDevices reported, Predicate<UUID> changedSince) {
        return new Comparison(known, reported.guestDisks(), changedSince).of(reported.devices());
    }

    /**
     * Interfaces of a VM with a definition that follows the host (origin EXTERNAL): known
     * interfaces keep their names.
     *
     * @param known interfaces in the definition
     * @param reported interfaces in the domain XML
     */
    public static List<VmNic> followNics(List<VmNic> known, List<VmNic> reported) {
        Map<UUID, VmNic> byId = new LinkedHashMap<>();
        known.forEach(nic -> byId.put(nic.id(), nic));
        Set<String> names = new HashSet<>();
        reported.forEach(nic -> {
            VmNic before = byId.get(nic.id());
            if (before != null) {
                names.add(before.name());
            }
        });
        List<VmNic> next = new ArrayList<>();
        int number = 1;
        for (VmNic nic : reported) {
            VmNic before = byId.get(nic.id());
            String name = before == null ? null : before.name();
            while (name == null) {
                String candidate = "nic" + number++;
                name = names.add(candidate) ? candidate : null;
            }
            next.add(
                    new VmNic(
                            nic.id(),
                            name,
                            nic.mac(),
                            before == null ? nic.vnicProfile() : before.vnicProfile(),
                            nic.speedMegabitsPerSecond()));
        }
        return next;
    }

    /**
     * Interfaces under identities that no other VM has. A host may report an interface under the
     * identity of another VM's, as two VMs that were defined from the same XML do: here such an
     * interface is identified by its VM and the reported identity, again and again by the same one.
     *
     * @param known interfaces in the VM's definition so far
     * @param reported interfaces in the domain XML
     * @param owners VMs that have interfaces of reported identities
     */
    public static List<VmNic> ownNics(
            VmId vm, List<VmNic> known, List<VmNic> reported, Map<UUID, VmId> owners) {
        Set<UUID> before = new HashSet<>();
        known.forEach(nic -> before.add(nic.id()));
        List<VmNic> own = new ArrayList<>(reported.size());
        for (VmNic nic : reported) {
            boolean another = !owners.getOrDefault(nic.id(), vm).equals(vm);
            if (!another && before.isEmpty()) {
                own.add(nic);
                continue;
            }
            UUID derived = derived(vm, nic.id());
            own.add(another || before.contains(derived) ? nic.withId(derived) : nic);
        }
        return own;
    }

    private static UUID derived(VmId vm, UUID reported) {
        return UUID.nameUUIDFromBytes(
                (vm + "/interface/" + reported).getBytes(StandardCharsets.UTF_8));
    }

    private static final class Comparison {
        private final Map<UUID, VmDevice> notYetSeen = new LinkedHashMap<>();
        private final Map<String, String> guestDisks;
        private final Predicate<UUID> changedSince;
        private final Set<UUID> seen = new HashSet<>();
        private final List<VmDevice> additions = new ArrayList<>();
        private final List<VmDevice> updates = new ArrayList<>();
        private final List<VmDevice> removals = new ArrayList<>();
        private final List<Skipped> skipped = new ArrayList<>();
        private final List<VmDevice> missed = new ArrayList<>();

        Comparison(
                Collection<VmDevice> known,
                Map<String, String> guestDisks,
                Predicate<UUID> changedSince) {
            known.forEach(device -> notYetSeen.put(device.id(), device));
            this.guestDisks = guestDisks;
            this.changedSince = changedSince;
        }

        DeviceChanges of(List<ReportedDevice> reported) {
            // Identities first: a match by kind must not take a device that another entry
            // identifies.
            List<ReportedDevice> unmatched = new ArrayList<>();
            for (ReportedDevice device : reported) {
                if (device.address().isEmpty()) {
                    skip(device, SkipReason.NO_ADDRESS);
                } else if (seen.contains(device.id())) {
                    skip(device, SkipReason.DUPLICATE);
                } else if (notYetSeen.containsKey(device.id())) {
                    found(device.id(), device);
                } else {
                    unmatched.add(device);
                }
            }
            for (ReportedDevice device : unmatched) {
                VmDevice known = matching(device);
                if (known != null) {
                    found(known.id(), device);
                } else {
                    notFound(device);
                }
            }
            notYetSeen.values().forEach(this::notReported);
            return new DeviceChanges(additions, updates, removals, skipped, missed);
        }

        /** The known device that matches without a named identity. */
        private @Nullable VmDevice matching(ReportedDevice device) {
            for (VmDevice known : notYetSeen.values()) {
                boolean sameKind =
                        known.type().equals(device.type())
                                && known.device().equals(device.device());
                if (sameKind && !known.alias().isEmpty() && known.alias().equals(device.alias())) {
                    return known;
                }
            }
            if (device.device().equals(VIRTIO_SERIAL)) {
                for (VmDevice known : notYetSeen.values()) {
                    if (known.device().equals(VIRTIO_SERIAL)) {
                        return known;
                    }
                }
            }
            return null;
        }

        private void found(UUID id, ReportedDevice device) {
            VmDevice known = notYetSeen.remove(id);
            seen.add(id);
            seen.add(device.id());
            if (known == null) {
                return;
            }
            if (changedSince.test(id)) {
                skip(device, SkipReason.CHANGED_SINCE);
                return;
            }
            VmDevice now =
                    known.pluggedAt(
                                    device.address(),
                                    device.alias(),
                                    logicalName(known.type(), id, known.logicalName()),
                                    device.hostDevice())
                            .with(device.volume());
            if (!now.equals(known)) {
                updates.add(now);
            }
        }

        private void notFound(ReportedDevice device) {
            if (device.type().isEmpty() || device.device().isEmpty()) {
                skip(device, SkipReason.NO_TYPE);
                return;
            }
            if (!seen.add(device.id())) {
                skip(device, SkipReason.DUPLICATE);
                return;
            }
            if (changedSince.test(device.id())) {
                skip(device, SkipReason.CHANGED_SINCE);
                return;
            }
            additions.add(
                    new VmDevice(
                            device.id(),
                            device.type(),
                            device.device(),
                            device.address(),
                            device.alias(),
                            false,
                            true,
                            device.readOnly(),
                            logicalName(device.type(), device.id(), null),
                            device.hostDevice(),
                            "",
                            "",
                            null,
                            device.volume()));
        }

        private void notReported(VmDevice known) {
            if (isListedWithoutAddress(known)) {
                return;
            }
            if (changedSince.test(known.id())) {
                skipped.add(new Skipped(describe(known), SkipReason.CHANGED_SINCE));
            } else if (!known.managed()) {
                removals.add(known);
            } else if (known.plugged()) {
                if (isBalloon(known)) {
                    missed.add(known);
                } else {
                    updates.add(known.unplugged());
                }
            }
        }

        /**
         * Whether the guest has a device of this kind without an address; its absence is no proof.
         */
        private static boolean isListedWithoutAddress(VmDevice device) {
            return switch (device.type()) {
                case "graphics", "console", "tpm", "mdev" -> true;
                default -> device.device().equals("mdev");
            };
        }

        private static boolean isBalloon(VmDevice device) {
            return device.type().equals("balloon")
                    || device.type().equals("memballoon")
                    || device.device().equals("memballoon");
        }

        /**
         * Silence of the guest leaves the name unchanged; a list without the disk takes it away.
         */
        private @Nullable String logicalName(String type, UUID id, @Nullable String before) {
            if (!type.equals("disk") && !type.equals("lun")) {
                return before;
            }
            if (guestDisks.isEmpty()) {
                return before;
            }
            String start = id.toString().substring(0, SERIAL_CHARACTERS);
            for (Map.Entry<String, String> disk : guestDisks.entrySet()) {
                if (disk.getKey().contains(start)) {
                    return disk.getValue();
                }
            }
            return null;
        }

        private void skip(ReportedDevice device, SkipReason reason) {
            skipped.add(
                    new Skipped(
                            device.type() + " " + device.device() + " " + device.alias(), reason));
        }

        private static String describe(VmDevice device) {
            return device.type() + " " + device.device() + " " + device.alias();
        }
    }
}
