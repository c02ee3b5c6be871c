package org.stillwater.ovirt.resource;

import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.stillwater.ovirt.action.Elements;
import org.stillwater.ovirt.action.Elements.Fate;
import org.stillwater.ovirt.action.Writable;

/** The part of the reference page that says what becomes of the elements of bodies. */
final class WritableTables {

    private static final String HEAD =
            """

            ## What is written beside VMs

            | methods | paths |
            |---|---|
            | POST, PUT, DELETE | `/vms/{id}/nics`, `/vms/{id}/nics/{id}` |
            | POST, PUT, DELETE | `/vms/{id}/diskattachments`, `/vms/{id}/diskattachments/{id}` |
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

            NICs: `vnic_profile` names the network, an empty one takes the network away; without `mac` the engine chooses an address.
            Disks: `disk/id` names a shareable disk of another VM, or, together with `disk/image_id`, `disk/format` and
            `disk/storage_domains`, a volume that no VM has yet. The engine neither makes nor removes disks: POST, PUT and DELETE of
            `/disks` and `detach_only=false` answer 501. CDs: `file/id` is the path of an image on the hosts; `current=true` answers 501.
            New places of disks, CDs beyond the ISO domains and `custom_properties` take an administrator of the VM's cluster: 403 for
            an operator ([ADR 49](../adr/0049-what-reaches-into-a-host-is-given-by-administrators.md)).
            Consoles: the file for the viewer contains a password that is valid for 120 seconds. A GET with `Accept:
            application/x-virt-viewer` sets and contains one too if its caller is an operator of the VM and the request is not sent
            by a page of another site; otherwise the file has none. `proxyticket` answers 501: it is signed for oVirt's websocket
            proxy, which alone can read it and is not part of the engine.
            Hosts: VDSM runs on a host before it is added, and the engine installs nothing; `deploy_hosted_engine=true` and
            `activate=false` answer 501. Fence agents: `order` is the place among the agents; passwords and options are never shown
            and stay if a PUT leaves them out. Affinity groups have VMs and no hosts.
            Tags: removing one removes those below it; `search=tag=NAME` finds VMs and hosts that have the tag or one below it.

            An element is kept, refused with status 409 unless it has a value that is true anyway, or ignored. An element that is not
            in the table is refused with status 400; `href`, `rel`, `link` and `actions` are ignored everywhere.

            | of | element | | |
            |---|---|---|---|
            """;

    private WritableTables() {}

    static String render() {
        StringBuilder page = new StringBuilder(HEAD);
        for (Elements elements : Writable.TABLES) {
            new TreeMap<>(elements.fates())
                    .forEach((element, fate) ->
                            page.append(
                                    "| %s | `%s` | %s |\n"
                                            .formatted(elements.entity(), element, told(fate))));
        }
        return page.toString();
    }

    private static String told(Fate fate) {
        return switch (fate) {
            case Fate.Kept() -> "kept |";
            case Fate.Ignored(String why) -> "ignored | " + why;
            case Fate.Limited(Set<String> values, String why) ->
                    values.isEmpty()
                            ? "refused | " + why
                            : "refused unless "
                                    + values.stream()
                                            .map(value -> "`" + value + "`")
                                            .collect(Collectors.joining(" or "))
                                    + " | "
                                    + why;
        };
    }
}
