package org.stillwater.ovirt.action;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Role;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.model.Action;
import org.stillwater.ovirt.model.GraphicsConsole;
import org.stillwater.ovirt.model.ProxyTicketAction;
import org.stillwater.ovirt.model.ViewerAction;
import org.stillwater.ovirt.resource.Text;

/**
 * Consoles of VMs: {@code /vms/{id}/graphicsconsoles}, with files for their viewers. Adding and
 * removing takes effect with the next start.
 */
final class ConsoleChanges {

    /** The elements of a console. */
    static final BodyRules RULES =
            BodyRules.of("graphics console", "graphics_console", "add graphics device")
                    .kept(List.of("protocol"))
                    .unsupported(
                            List.of("name", "description", "comment"),
                            "the engine does not store this member of a console")
                    .ignored(
                            List.of("address", "port", "tls_port"),
                            "only read: its host chooses it")
                    .ignored(List.of("id", "vm"), "the path names it")
                    .ignored(List.of("template", "instance_type"), "not of a VM's console")
                    .table();

    private static final String ADD = "add graphics device";
    private static final String REMOVE = "remove graphics device";

    /** Identities that a console of a VM can have. */
    private static final List<String> PROTOCOLS = List.of(id("vnc"), id("spice"));

    private final Access access;
    private final DefinitionEdits edits;
    private final VmActions actions;
    private final ProxyTicketSigner signer;

    ConsoleChanges(
            Access access, DefinitionEdits edits, VmActions actions, ProxyTicketSigner signer) {
        this.access = access;
        this.edits = edits;
        this.actions = actions;
        this.signer = signer;
    }

    Outcome add(Change change) {
        VmView vm = access.vm(change, change.at(1));
        Body body = RULES.read(change.body(), ADD);
        String protocol = body.text("protocol");
        if (protocol == null) {
            throw Refused.incomplete("GraphicsConsole [protocol] is required for add.");
        }
        VmConsole.Protocol wanted = protocol(protocol.toLowerCase(Locale.ROOT));
        if (wanted == null) {
            throw Refused.invalid("protocol is vnc or spice, not " + Refused.shortened(protocol));
        }
        Definition _ =
                edits.edit(
                        change,
                        vm,
                        ADD,
                        before -> {
                            VmSpecification specification = DefinitionEdits.of(before);
                            List<VmConsole> consoles = new ArrayList<>(specification.consoles());
                            consoles.add(new VmConsole(wanted, null));
                            return DefinitionEdits.with(
                                    before,
                                    specification.withConsoles(consoles, specification.video()));
                        });
        return Outcome.showing(
                201,
                "vms/%s/graphicsconsoles/%s"
                        .formatted(vm.id(), id(wanted.name().toLowerCase(Locale.ROOT))));
    }

    Outcome remove(Change change) {
        VmView vm = access.vm(change, change.at(1));
        String id = change.at(3);
        Definition _ =
                edits.edit(
                        change,
                        vm,
                        REMOVE,
                        before -> {
                            VmSpecification specification = DefinitionEdits.of(before);
                            List<VmConsole> left =
                                    specification.consoles().stream()
                                            .filter(each -> !id(each).equals(id))
                                            .toList();
                            if (left.size() == specification.consoles().size()) {
                                throw Refused.notFound("GraphicsConsole", id);
                            }
                            return DefinitionEdits.with(
                                    before,
                                    specification.withConsoles(left, specification.video()));
                        });
        return Operations.removed(change, null);
    }

    private static VmConsole.@Nullable Protocol protocol(String name) {
        return switch (name) {
            case "vnc" -> VmConsole.Protocol.VNC;
            case "spice" -> VmConsole.Protocol.SPICE;
            default -> null;
        };
    }

    private static String id(VmConsole console) {
        return id(console.protocol().name().toLowerCase(Locale.ROOT));
    }

    /** A console's identity is the name of its protocol, in hexadecimal digits. */
    private static String id(String protocol) {
        return HexFormat.of().formatHex(protocol.getBytes(StandardCharsets.UTF_8));
    }

    // -------------------------------------------------------------------------------- viewers

    /** A password for this console of the VM. */
    Outcome ticket(Change change) {
        Change _ = Changes.ofAction(change);
        VmView vm = access.vm(change, change.at(1));
        GraphicsConsole console = console(change, vm);
        return actions.ticket(change, vm, protocol(console.protocol()));
    }

    /**
     * A signed ticket with which a proxy connects a browser to the console; the console's password
     * is not part of it.
     */
    Outcome proxyTicket(Change change) {
        Change _ = Changes.ofAction(change);
        VmView vm = access.vm(change, change.at(1));
        ProxyTarget target = proxyTarget(change, vm);
        if (target == null) {
            throw Refused.pointless(
                    "Cannot make a proxy ticket: the VM does not run with such a console.");
        }
        try {
            return Outcome.of(
                    200,
                    "action",
                    new ProxyTicketAction(
                            new ProxyTicketAction.ProxyTicket(signer.sign(target.data())),
                            "complete",
                            Objects.requireNonNull(
                                    Operations.reference(change, "vms", vm.id().toString()))));
        } catch (ProxyTicketSigner.Unusable e) {
            throw Refused.unavailable("Cannot make a proxy ticket: " + e.getMessage());
        }
    }

    /** Null if the console is not open, or the VM has none of this protocol. */
    private @Nullable ProxyTarget proxyTarget(Change change, VmView vm) {
        HostId host = vm.state().placement().runOn();
        try {
            GraphicsConsole console = console(change, vm);
            return host == null ? null : ProxyTarget.of(console, access.encryptsVnc(host));
        } catch (Refused e) {
            if (e.status() == 404 && PROTOCOLS.contains(change.at(3))) {
                return null;
            }
            throw e;
        }
    }

    /** A file for the viewer, with a password that is set now. */
    Outcome viewerFile(Change change) {
        Change _ = Changes.ofAction(change);
        VmView vm = access.vm(change, change.at(1));
        GraphicsConsole console = console(change, vm);
        Action set = set(change, vm, console);
        return Outcome.of(
                200,
                "action",
                new ViewerAction(
                        set.job(),
                        file(console, vm, set).text(),
                        "complete",
                        Objects.requireNonNull(set.vm())));
    }

    /** The same as the answer to a GET; null if the caller may only read the VM. */
    @Nullable Text viewer(Change change) {
        VmView vm = access.seen(change, change.at(1));
        if (!change.caller().has(Role.OPERATOR, vm.id(), vm.definition().cluster())) {
            return null;
        }
        GraphicsConsole console = console(change, vm);
        return console.address() == null ? null : file(console, vm, set(change, vm, console));
    }

    private Action set(Change change, VmView vm, GraphicsConsole console) {
        if (console.address() == null) {
            throw Refused.conflict("The VM does not run, so its console is not open.");
        }
        return (Action)
                Objects.requireNonNull(
                        actions.ticket(change, vm, protocol(console.protocol())).entity());
    }

    private static Text file(GraphicsConsole console, VmView vm, Action set) {
        Action.Ticket ticket = Objects.requireNonNull(set.ticket());
        return Text.viewer(console, vm.definition().name(), ticket.value());
    }

    private static GraphicsConsole console(Change change, VmView vm) {
        String id = change.at(3);
        if (change.lookup().entity("vms", vm.id().toString(), "graphicsconsoles", id)
                instanceof GraphicsConsole console) {
            return console;
        }
        throw Refused.notFound("GraphicsConsole", id);
    }
}
