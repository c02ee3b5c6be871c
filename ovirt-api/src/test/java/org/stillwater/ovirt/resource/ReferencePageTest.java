package org.stillwater.ovirt.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * The reference page lists the served resources. With {@code -Dstillwater.docs=write} it is written
 * instead.
 */
class ReferencePageTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "ovirt-api.md");

    private static final String HEAD =
            """
            # The API of oVirt's clients

            REST API v4 in XML and JSON under `/ovirt-engine/api` (and `/ovirt-engine/api/v4`). See also
            [how to use oVirt's clients](../how-to/use-ovirt-clients.md). This page is generated from the code and checked by a test.

            All answers come from memory: no GET reads the database. `/events` therefore has the newest events, as many as
            memory keeps (`stillwater.audit.recent`); the native API has older ones.

            Common parameters, in the query or as matrix parameters: `max`, `search` and `case_sensitive` (collections marked
            with s), `from` (events), `follow`, `filter`, `all_content`, `accept`, `detail`, `current`, `next_run`. Headers: `Accept`,
            `Filter`, `All-Content`, `Version`, `Correlation-Id`, `If-None-Match`, `Accept-Encoding`.

            An empty parameter is the same as none; a truth value is true then. As in oVirt, a parameter that the engine does not know, or
            that has no effect on a request (`search` for an entity), is ignored; the header `Ignored-Parameters` of the answer names it. A
            parameter with two values and one that is neither true nor false get 400, where oVirt takes the first, and the default.

            A change is answered when it is complete, within a time limit. `Expect` or `X-Ovirt-Expect` with `202-accepted` requests an
            earlier answer, with `201-created` one at the end, like `async` in the body. `DELETE /events/{id}` removes an event from the
            lists of this API until `POST /events/undelete`; the audit log keeps it and records the user. An event of `POST /events` may
            refer to a VM, a host, a cluster, a data centre, a storage domain, a template and a user, each by its id.

            Objects that the engine does not manage are derived from reports of hosts and from VMs (networks, vNIC profiles, storage
            domains), or constant (the blank template, roles and permits, tags, icons, operating systems, instance types, cluster
            levels, MAC pools, options); settings supply unreported names (`stillwater.ovirt.reference`). Collections marked with –
            are always empty. The list of users contains the caller.

            Unknown values are missing or, where clients need a value, approximated: the size of a disk is its allocated size, a disk
            known from its host only is a `cow` with an image id derived from the disk's id, a VM's system is `other`, the only snapshot
            is the active one. Storage domains show their space if the setting `stillwater.ovirt.reference.storage-size` gives
            their size: available is the space that the disks of VMs do not use.

            `follow` accepts every link and every reference of an entity, nested with dots
            (`follow=vm.cluster.data_center,host.statistics`). Another name gets 400 with the possible ones, and so does a request
            for more entities than `stillwater.ovirt.most-entities`. A search for an unknown field has no results.

            A body must match its path: another root element, a list in JSON, or an object without any member of that entity
            gets 400. No element of a body is accepted and dropped: see [the tables](#elements-that-clients-write). `grace_period`
            delays only the shutdown of a VM.

            A VM with `delete_protected` cannot be removed. The action `start` accepts, for one run, `os/boot`, `bios`, `display`
            and `custom_properties` of a `vm`, and the host; other elements (`memory`, `cpu`, `initialization`, a kernel) are
            refused, because the VM would start without them. An unknown action gets 404. A method that a path does not support
            gets 405 and the header `Allow`. Both have a fault in the client's media type.

            ## VMs that are changed while they run

            A running or suspended VM keeps the definition of its run: memory, its policy and processors, firmware, boot devices,
            consoles, time zone, custom properties and all other parameters of its process. Answers, searches and statistics show this
            definition, also the answer to the change, with or without `next_run`, and after a restart of the engine. With
            `next_run=true` a GET shows the stored definition; `next_run_configuration_exists` is true while the two differ. The next
            start, which is the second half of a cold reboot, applies the stored definition; a reboot of the guest does not. Name,
            description, comment, high availability, protection, the guest's system, disks and interfaces are always shown as stored.
            """;

    @Test
    void thePageListsTheServedElements() throws Exception {
        String page = render();
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/reference/ovirt-api.md; -Dstillwater.docs=write renews it")
                .isEqualTo(page);
    }

    private static String render() {
        Asked asked = new Asked(new SmallFleet());
        StringBuilder page = new StringBuilder(HEAD);
        page.append("\n## Paths\n\n| path | |\n|---|---|\n");
        for (String path : asked.api().paths()) {
            page.append("| `").append(path).append("` | ");
            page.append(asked.api().note(path)).append(" |\n");
        }
        WritablePage.write(page);
        page.append(
                "\n"
                        + "## Fields to search for\n\n"
                        + "| collection | fields | references |\n"
                        + "|---|---|---|\n");
        asked.api()
                .searchable(Asked.ADMIN)
                .forEach((collection, fields) ->
                        page.append("| ")
                                .append(collection)
                                .append(" | ")
                                .append(words(fields.fields().keySet()))
                                .append(" | ")
                                .append(words(fields.references().keySet()))
                                .append(" |\n"));
        page.append(
                "\n"
                        + "## Statistics\n\n"
                        + "| of | name | kind | type | unit | |\n"
                        + "|---|---|---|---|---|---|\n");
        String vm = "/vms/" + SmallFleet.WEB;
        String host = "/hosts/" + SmallFleet.NODE_01;
        Map<String, String> owners = new TreeMap<>();
        owners.put("VM", vm);
        owners.put("host", host);
        owners.put("interface", vm + "/nics/" + SmallFleet.NIC);
        owners.put("disk", "/disks/" + SmallFleet.IMAGE);
        owners.put(
                "NUMA node",
                host
                        + "/numanodes/"
                        + Uuids.of("host_numa_node", SmallFleet.NODE_01.toString(), "0"));
        owners.forEach((owner, path) -> {
            for (JsonNode each : asked.json(path + "/statistics").path("statistic")) {
                page.append(
                        "| %s | `%s` | %s | %s | %s | %s |\n"
                                .formatted(
                                        owner,
                                        each.path("name").asString(),
                                        each.path("kind").asString(),
                                        each.path("type").asString(),
                                        each.path("unit").asString(),
                                        each.path("description").asString()));
            }
        });
        return page.toString();
    }

    private static String words(Iterable<String> names) {
        TreeSet<String> sorted = new TreeSet<>();
        names.forEach(name -> {
            if (!name.startsWith("_")) {
                sorted.add(name);
            }
        });
        return sorted.isEmpty() ? "–" : String.join(", ", List.copyOf(sorted));
    }
}
