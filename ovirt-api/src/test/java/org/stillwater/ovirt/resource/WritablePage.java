package org.stillwater.ovirt.resource;

import java.util.Map;
import org.stillwater.ovirt.action.BodyRules;
import org.stillwater.ovirt.action.ElementRule;
import org.stillwater.ovirt.action.QueryRules;
import org.stillwater.ovirt.action.WritableBodies;

/** The section of the reference page about elements that clients write. */
final class WritablePage {

    private static final String HEAD =
            """

            ## Elements that clients write

            Every element of a body is kept, fixed, refused or ignored. An element that is in no table is refused with status 400. A fault
            with status 400 names all elements that cannot be kept, up to 20.

            * **kept**: the engine stores it and shows it again, passwords excepted. For a VM the last column names the member of the
              native definition (`PUT /api/v1/vms/{id}/definition`). A list replaces the list that is there. A reference has an `id` or a `name`.
            * **fixed**: the engine accepts this value, which is true anyway, and refuses another one with status 400. Where no
              value stands here, it is the value that the entity has.
            * **refused**: status 400, unless the element is empty.
            * **ignored**: the engine accepts it, and it has no effect.

            A PUT accepts every value that the entity has already, so that a client may read an entity, change one element, and
            write all of it back.

            In JSON an element is a member. `href`, `rel`, `link` and `actions` are ignored everywhere.
            """;

    private static final String BESIDE_VMS =
            """

            ## What is written beside VMs

            | methods | paths |
            |---|---|
            | POST, PUT, DELETE | `/vms/{id}/nics`, `/vms/{id}/nics/{id}` |
            | POST, PUT, DELETE | `/vms/{id}/diskattachments`, `/vms/{id}/diskattachments/{id}` |
            | POST | `/vms/{id}/nics/{id}/activate`, `/vms/{id}/nics/{id}/deactivate` |
            | POST | `/vms/{id}/diskattachments/{id}/activate`, `/vms/{id}/diskattachments/{id}/deactivate` |
            | PUT | `/vms/{id}/cdroms/{id}` |
            | POST, PUT, DELETE | `/vms/{id}/watchdogs`, `/vms/{id}/watchdogs/{id}` |
            | POST, DELETE | `/vms/{id}/graphicsconsoles`, `/vms/{id}/graphicsconsoles/{id}` |
            | POST | `/vms/{id}/graphicsconsoles/{id}/ticket`, `/vms/{id}/graphicsconsoles/{id}/remoteviewerconnectionfile` |
            | POST, PUT, DELETE | `/hosts`, `/hosts/{id}` |
            | POST, PUT, DELETE | `/hosts/{id}/fenceagents`, `/hosts/{id}/fenceagents/{id}` |
            | POST, PUT, DELETE | `/clusters`, `/clusters/{id}` |
            | POST, PUT, DELETE | `/tags`, `/tags/{id}` |
            | POST, DELETE | `/vms/{id}/tags`, `/vms/{id}/tags/{id}`, `/hosts/{id}/tags`, `/hosts/{id}/tags/{id}` |
            | POST, PUT, DELETE | `/clusters/{id}/affinitygroups`, `/clusters/{id}/affinitygroups/{id}` |
            | POST, DELETE | `/clusters/{id}/affinitygroups/{id}/vms`, `/clusters/{id}/affinitygroups/{id}/vms/{id}` |

            Devices of a VM are kept in its definition. A VM that runs has the new device, or loses the removed one, with its next
            start; a GET of NICs, disks and CDs shows what is stored. Watchdogs and consoles of a VM that runs are shown with
            `next_run=true`. Several devices can be added at once: the engine changes a VM's definition one change at a time.

            Plugging takes effect at once. `activate` and `deactivate` of a NIC or disk, and a PUT with another `plugged` or `active`,
            ask the host of a VM that runs (a NIC: up or powering up; a disk: up or paused, not on a SATA bus) and answer 409 if it
            refuses; then the definition is changed. If the VM is down, they change the definition alone, and it starts without
            the unplugged devices. In any other status they answer 409. A disk that is active already is not activated again (409).

            NICs: `vnic_profile` names the network, an empty one takes the network away; without `mac` the engine chooses an address.
            Disks: `disk/id` names a shareable disk of another VM, or, together with `disk/image_id`, `disk/format` and
            `disk/storage_domains`, a volume that no VM has yet. The engine neither makes nor removes disks: POST, PUT and DELETE of
            `/disks` and `detach_only=false` answer 501. CDs: `file/id` is the path of an image on the hosts. With `current=true` the host
            exchanges the CD of a VM that runs (409 if it does not run, or has no drive), ejects it if `file/id` is empty, and the
            definition stays: the next run has the CD of the definition again. A GET with `current=true` shows the CD that is in.
            New places of disks, CDs beyond the ISO domains and `custom_properties` take an administrator of the VM's cluster: 403 for
            an operator ([ADR 49](../adr/0049-administrators-grant-access-to-resources-of-a-host.md)).
            Consoles: the file for the viewer contains a password that is valid for 120 seconds. A GET with `Accept:
            application/x-virt-viewer` sets and contains one too if its caller is an operator of the VM and the request is not sent
            by a page of another site; otherwise the file has none. `proxyticket` answers with a signed ticket, with which oVirt's
            websocket proxy [connects a browser to the console](../how-to/open-consoles-in-a-browser.md); 400 if the VM does not run with
            such a console. The ticket has no password: `ticket` sets one.
            Hosts: VDSM runs on a host before it is added, and the engine installs nothing; `deploy_hosted_engine=true` and
            `activate=false` answer 501. Fence agents: `order` is the place among the agents, which are
            alternatives and never used together; passwords and secret
            options are never shown and stay if a PUT leaves them out. Affinity groups have VMs and no hosts.
            Tags: removing one removes those below it; `search=tag=NAME` finds VMs and hosts that have the tag or one below it.
            """;

    private static final String LEASES =
            """

            ## Leases of VMs

            A VM with a `lease` is started with a lease on that storage domain, or not at all. The engine has it created when the VM is
            started and has none (`Lease.create`), asks the host where it is (`Lease.info`), and names that place in the VM's definition on
            the host; a lease that cannot be created fails the start, and the reason says why. oVirt creates it when the VM is added or
            changed. The lease is deleted once the VM is down and its definition names none there, or the VM is removed.

            While its host is silent, a VM is started elsewhere only if its process was started with this lease and the other host finds
            it at the same place. A VM that runs without one (a lease that was added while it runs, or by an earlier version of the engine)
            gets it with its next start.

            Without `stillwater.commands.storage-pool` there is no pool to create leases in: a `lease` is refused with status 409, and so is
            the start of a VM that has one from before. A storage domain that no host reports and no disk of a VM is on is refused with
            status 404.
            """;

    private static final String PARAMETERS =
            """

            ## Parameters of changes

            Parameters in the query of a POST, PUT or DELETE, and those of a GET that would select other objects. A parameter that changes
            the effect is honoured, or refused with status 501 unless its value describes the engine's behaviour anyway. One that selects the
            form of the answer (`follow`, `filter`, `all_content`, `detail`, `accept`) is honoured everywhere. Others are ignored, as oVirt
            ignores them; the header `Ignored-Parameters` of the answer names them. Parameters of actions are elements of their bodies.

            | request | parameter | | |
            |---|---|---|---|
            """;

    private WritablePage() {}

    static void write(StringBuilder page) {
        page.append(HEAD);
        for (BodyRules table : WritableBodies.all()) {
            page.append("\n### ")
                    .append(Character.toUpperCase(table.subject().charAt(0)))
                    .append(table.subject().substring(1))
                    .append(": `")
                    .append(table.root())
                    .append("`\n\n| element | | |\n|---|---|---|\n");
            for (Map.Entry<String, ElementRule> each : table.elements().entrySet()) {
                page.append("| `")
                        .append(each.getKey())
                        .append("` | ")
                        .append(words(each.getValue()))
                        .append(" |\n");
            }
        }
        page.append(BESIDE_VMS);
        page.append(LEASES);
        page.append(PARAMETERS);
        for (QueryRules rules : QueryRules.ALL) {
            rules.parameters()
                    .forEach((name, rule) ->
                            page.append(
                                    "| %s `/%s` | `%s` | %s |\n"
                                            .formatted(
                                                    rules.method(),
                                                    rules.path(),
                                                    name,
                                                    words(rule).replace("kept |", "honoured |"))));
        }
    }

    private static String words(ElementRule rule) {
        return switch (rule) {
            case ElementRule.Kept kept -> "kept | " + kept.as();
            case ElementRule.Fixed fixed ->
                    "fixed"
                            + (fixed.values().isEmpty()
                                    ? ""
                                    : ": `" + String.join("`, `", fixed.values()) + "`")
                            + " | "
                            + fixed.why();
            case ElementRule.Unsupported unsupported -> "refused | " + unsupported.why();
            case ElementRule.Ignored ignored -> "ignored | " + ignored.why();
        };
    }
}
