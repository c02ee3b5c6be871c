package org.stillwater.ovirt.action;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.text.SafeText;
import org.stillwater.ovirt.action.NicChanges.Connection;

/**
 * Definitions of VMs as the API writes them, applied to the present ones: elements that are not in
 * a body stay. {@link WritableVm} refuses elements that the definition does not have.
 */
final class VmDefinitions {

    private static final String BLANK = "00000000-0000-0000-0000-000000000000";
    private static final int USUAL_MEBIBYTES = 1_024;
    private static final int MOST = 1 << 16;
    private static final int LONGEST_NAME = 255;

    /** Members that may differ for one run, in the order in which messages name them. */
    private static final Set<String> OF_ONE_RUN =
            Collections.unmodifiableSet(
                    new LinkedHashSet<>(List.of("os", "bios", "display", "custom_properties")));

    private static final Set<String> TOLD_WITH_A_RUN =
            Set.of(
                    "id",
                    "href",
                    "name",
                    "placement_policy",
                    "stateless",
                    "os",
                    "bios",
                    "display",
                    "custom_properties");

    /**
     * Values of a VM outside its definition that a client may send back.
     *
     * @param architecture of its cluster, as the API names it
     * @param stateless whether its pool makes it so
     * @param guestHostName the name that the guest reports; null for none
     * @param connections connection of an interface of the body; null for none
     * @param storageDomains refuses a storage domain that does not exist
     */
    record Standing(
            String architecture,
            boolean stateless,
            @Nullable String guestHostName,
            Function<Body, @Nullable Connection> connections,
            Consumer<UUID> storageDomains) {

        /** For values of one run, which contain neither these nor interfaces. */
        static final Standing OF_ONE_RUN = new Standing("", false, null, _ -> null, _ -> {});

        /** Whether it is so already. */
        boolean isSo(Definition before, boolean pinned, String path, String text) {
            return switch (path) {
                case "cpu/architecture" ->
                        text.equalsIgnoreCase(architecture(DefinitionEdits.of(before)));
                case "cpu_pinning_policy" -> text.equalsIgnoreCase(pinned ? "manual" : "none");
                case "stateless" ->
                        text.equalsIgnoreCase(Boolean.toString(stateless))
                                || text.equals(stateless ? "1" : "0");
                case "origin" -> text.equalsIgnoreCase(before.definition().origin().name());
                case "initialization/host_name" -> text.equals(guestHostName);
                default -> false;
            };
        }

        private String architecture(VmSpecification specification) {
            return specification.architecture() == null
                    ? architecture
                    : specification.architecture().name();
        }
    }

    private static final String ADD = "add VM";
    private static final String EDIT = "edit VM";
    private static final String RUN = "run VM";

    private final DefinitionServices services;

    VmDefinitions(DefinitionServices services) {
        this.services = services;
    }

    /** A new VM. */
    Definition read(Body body, ClusterId cluster, Standing standing) {
        if (body.text("name") == null) {
            throw Refused.incomplete("Vm [name] is required for add.");
        }
        VmStatic bare =
                new VmStatic(
                        "new",
                        VmOrigin.OVIRT,
                        false,
                        USUAL_MEBIBYTES,
                        USUAL_MEBIBYTES,
                        1,
                        1,
                        1,
                        List.of(),
                        false,
                        cluster);
        return over(
                body,
                new Definition(
                        bare,
                        VmSpecification.BARE.withConsoles(
                                List.of(new VmConsole(VmConsole.Protocol.VNC, null)),
                                VmSpecification.BARE.video()),
                        0,
                        null,
                        null),
                standing,
                ADD);
    }

    /** There is one template only: the one in which nothing is. */
    private static void template(Body body) {
        String id = body.text("template", "id");
        String name = body.text("template", "name");
        boolean blank =
                id != null ? id.equals(BLANK) : name == null || name.equalsIgnoreCase("blank");
        if (!blank) {
            throw Refused.notFound("Template", id != null ? id : String.valueOf(name));
        }
    }

    /**
     * An existing VM, changed.
     *
     * @throws Refused if an element of the body would be dropped, or is no possible value
     */
    Definition over(Body body, Definition before, Standing standing) {
        return over(body, before, standing, EDIT);
    }

    private Definition over(Body body, Definition before, Standing standing, String verb) {
        // The policy of pinning is that of the pins in the same body.
        boolean pinned = VmHardware.isPinned(body, DefinitionEdits.of(before));
        WritableBodies.VM.check(
                body, verb, (path, text) -> standing.isSo(before, pinned, path, text));
        template(body);
        return changed(body, before, standing, verb);
    }

    private Definition changed(Body body, Definition before, Standing standing, String verb) {
        try {
            UUID lease = lease(body, before.lease(), standing);
            List<Interface> interfaces = interfaces(body, standing);
            VmStatic vm = vm(body, before.definition(), lease != null, verb);
            VmSpecification next =
                    VmHardware.with(DefinitionEdits.of(before), body, vm.memoryMebibytes());
            if (interfaces != null) {
                vm = vm.withNics(interfaces.stream().map(Interface::nic).toList());
                next =
                        next.withDevices(
                                next.disks(),
                                next.cdrom(),
                                interfaces.stream().map(Interface::device).toList());
            }
            next.check(vm);
            return new Definition(
                    vm,
                    next,
                    number(body, before.priority(), 0, 100, "high_availability", "priority"),
                    lease,
                    before.savedMemory());
        } catch (IllegalArgumentException e) {
            throw Refused.notKept(
                    "Cannot %s: %s".formatted(verb, Operations.sentence(e.getMessage() + "")));
        }
    }

    /** The storage domain of the lease; an empty element takes the lease away. */
    private static @Nullable UUID lease(Body body, @Nullable UUID before, Standing standing) {
        if (!body.has("lease")) {
            return before;
        }
        String domain = body.text("lease", "storage_domain", "id");
        UUID id = domain == null ? null : Access.uuid(domain);
        if (domain != null && id == null) {
            throw Refused.notFound("StorageDomain", domain);
        }
        if (id != null && !id.equals(before)) {
            standing.storageDomains().accept(id);
        }
        return id;
    }

    /**
     * A definition for one run only: its boot devices, its screen and its properties may differ.
     *
     * @param body the VM that an action is given
     * @return null if nothing differs
     */
    @Nullable Definition once(Body body, Supplier<Definition> stored) {
        for (String each : body.names()) {
            if (!TOLD_WITH_A_RUN.contains(each)) {
                throw Refused.notKept(
                        "Cannot run VM: vm/%s cannot be overridden for one run, only %s; change the VM."
                                .formatted(Refused.shortened(each), String.join(", ", OF_ONE_RUN)));
            }
        }
        where(body);
        if (OF_ONE_RUN.stream().noneMatch(body::has)) {
            return null;
        }
        for (String each : body.object("os").names()) {
            if (!each.equals("boot")) {
                throw Refused.notKept(
                        "Cannot run VM: a VM boots from its devices, os/%s is not supported."
                                .formatted(Refused.shortened(each)));
            }
        }
        Definition before = stored.get();
        OF_ONE_RUN.forEach(each -> WritableBodies.VM.checkMember(body, each, RUN));
        // Its name comes with it, and is not another one for once.
        return new Definition(
                before.definition(),
                changed(body, before, Standing.OF_ONE_RUN, RUN).specification(),
                before.priority(),
                before.lease(),
                before.savedMemory());
    }

    /** The host of a run is named with it; nothing else of where and how it runs. */
    private static void where(Body body) {
        WritableBodies.VM.checkMember(body, "stateless", RUN);
        String affinity = body.text("placement_policy", "affinity");
        if (affinity != null && !affinity.equals("migratable")) {
            throw Refused.notKept(
                    "Cannot run VM: placement_policy/affinity cannot be %s for one run."
                            .formatted(Refused.shortened(affinity)));
        }
        if (body.items("placement_policy", "hosts", "host").size() > 1) {
            throw Refused.notKept(
                    "Cannot run VM: placement_policy/hosts names one host for one run.");
        }
    }

    private static VmStatic vm(Body body, VmStatic before, boolean leased, String verb) {
        int memory = mebibytes(body, before.memoryMebibytes(), "memory");
        boolean all = before.guaranteedMemoryMebibytes() == before.memoryMebibytes();
        int guaranteed =
                mebibytes(
                        body,
                        all ? memory : before.guaranteedMemoryMebibytes(),
                        "memory_policy",
                        "guaranteed");
        if (guaranteed > memory) {
            throw Refused.conflict(
                    "Cannot %s. Physical Memory Guaranteed cannot exceed Memory Size."
                            .formatted(verb));
        }
        Boolean available = body.flag("high_availability", "enabled");
        return new VmStatic(
                name(body, before.name()),
                before.origin(),
                available == null ? before.highlyAvailable() : available,
                memory,
                guaranteed,
                number(body, before.sockets(), 1, MOST, "cpu", "topology", "sockets"),
                number(body, before.coresPerSocket(), 1, MOST, "cpu", "topology", "cores"),
                number(
                        body,
                        before.threadsPerCore(),
                        1,
                        Short.MAX_VALUE,
                        "cpu",
                        "topology",
                        "threads"),
                before.nics(),
                leased,
                before.cluster());
    }

    private static String name(Body body, String before) {
        String name = body.text("name");
        if (name == null) {
            return before;
        }
        if (name.length() > LONGEST_NAME || name.chars().anyMatch(Character::isISOControl)) {
            throw Refused.invalid(
                    "The name of a VM has 1 to 255 characters, none of them a control character.");
        }
        if (!name.equals(before) && !SafeText.isSafe(name)) {
            throw Refused.invalid(
                    "The name of a VM has no character that is invisible or turns the direction of"
                            + " others: it could look like another VM's.");
        }
        return name;
    }

    /** Bytes, down to a MiB. */
    static int mebibytes(Body body, int before, String... path) {
        Long bytes = body.number(path);
        if (bytes == null) {
            return before;
        }
        long mebibytes = bytes >> 20;
        if (mebibytes < 1 || mebibytes > Integer.MAX_VALUE) {
            throw Refused.invalid(
                    "%s is a number of bytes, at least 1 MiB, not %d"
                            .formatted(String.join("/", path), bytes));
        }
        return (int) mebibytes;
    }

    /** A number within bounds, or the one before. */
    static int number(Body body, int before, int least, int most, String... path) {
        Long number = body.number(path);
        if (number == null) {
            return before;
        }
        if (number < least || number > most) {
            throw Refused.invalid(
                    "%s is %d to %d, not %d"
                            .formatted(String.join("/", path), least, most, number));
        }
        return number.intValue();
    }

    // ----------------------------------------------------------------------------- interfaces

    private record Interface(VmInterface device, VmNic nic) {}

    /** Interfaces of a body, which replace all; null if it names none. */
    private @Nullable List<Interface> interfaces(Body body, Standing standing) {
        if (!body.has("nics", "nic")) {
            return null;
        }
        List<Interface> all = new ArrayList<>();
        for (Body nic : body.items("nics", "nic")) {
            String name = nic.text("name");
            String mac = nic.text("mac", "address");
            Boolean linked = nic.flag("linked");
            Connection named = standing.connections().apply(nic);
            Connection connection = named == null ? new Connection(null, null) : named;
            VmInterface device =
                    new VmInterface(
                            UUID.randomUUID(),
                            name == null ? "nic" + (all.size() + 1) : name,
                            mac == null ? services.nextMac() : mac.toLowerCase(Locale.ROOT),
                            connection.network(),
                            NicChanges.model(nic, VmInterface.Model.VIRTIO),
                            linked == null || linked,
                            null,
                            true,
                            NicChanges.isUnplugged(nic));
            all.add(new Interface(device, device.nic(connection.profile())));
        }
        return all;
    }
}
