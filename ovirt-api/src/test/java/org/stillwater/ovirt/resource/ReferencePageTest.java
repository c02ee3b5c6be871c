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
 * The reference page says what is served. With {@code -Dstillwater.docs=write} it is written
 * instead.
 */
class ReferencePageTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "ovirt-api.md");

    private static final String HEAD =
            """
            # The API of oVirt's clients

            REST API v4 in XML and JSON under `/ovirt-engine/api` (and `/ovirt-engine/api/v4`). [How to use
            it](../how-to/use-ovirt-clients.md) stands elsewhere. This page is generated from the code and checked by a test.

            Everything is answered from memory: no GET asks the database. Events are therefore the newest ones, as many as
            memory keeps (`stillwater.audit.recent`); older ones are told by the native API.

            Common parameters, in the query or as matrix parameters: `max`, `search` and `case_sensitive` (collections marked
            with s), `from` (events), `follow`, `filter`, `all_content`, `accept`, `detail`, `current`, `next_run`. Headers: `Accept`,
            `Filter`, `All-Content`, `Version`, `Correlation-Id`, `If-None-Match`, `Accept-Encoding`.

            What is changed is answered when it is done, as far as it can be told; `Expect` or `X-Ovirt-Expect` with `202-accepted` asks
            for an answer before that, with `201-created` for one at the end, like `async` in the body. `DELETE /events/{id}` takes an
            event out of the lists here until `POST /events/undelete`; in the audit log it stays, with who did that. What `POST /events`
            adds may be about a VM, a host, a cluster, a data centre, a storage domain, a template and a user, each by its id.

            What the engine does not manage is told from what hosts report and VMs use (networks, vNIC profiles, storage
            domains), or is constant (the blank template, roles and permits, tags, icons, operating systems, instance types,
            cluster levels, MAC pools, options); names that nobody reports are settings (`stillwater.ovirt.reference`).
            Collections marked with – are always empty. Of users the caller is told.

            What is not known is left out or, where clients insist on a value, approximated: the size of a disk is what it takes
            now, a disk of which only its host tells is a `cow` whose image has an identity made of the disk's, a VM's system is
            `other`, the only snapshot is the active one. The space of storage domains is told where their size is set
            (`stillwater.ovirt.reference.storage-size`): what the disks of VMs do not take is available.

            `follow` takes every link and every reference that an entity shows, nested with dots
            (`follow=vm.cluster.data_center,host.statistics`); a name that is neither is refused with those there are, and so is
            what would tell more entities than `stillwater.ovirt.most-entities`. A search that asks for a field that there is
            not finds nothing.

            A body is of what its path is about: another root element, a list in JSON, or an object without any member of that
            entity is refused with status 400. No element of a body is accepted and dropped: see [the
            tables](#elements-that-clients-write). `grace_period` delays only the shutdown of a VM.

            A VM with `delete_protected` is not removed. The action `start` takes for one run `os/boot`, `bios`, `display` and
            `custom_properties` of a `vm`, and the host; anything else in it (`memory`, `cpu`, `initialization`, a kernel) is
            refused, because the VM would start without it. An action that the engine does not have is answered with 404, a
            method that a path does not take with 405 and the header `Allow`, both with a fault in the client's media type.

            ## VMs that are changed while they run

            A VM that runs or is suspended keeps what it began its run with: memory, its policy and processors, firmware, boot devices,
            consoles, time zone, custom properties and whatever else its process was started with. That is told of it, searched for and
            in its statistics, also by the answer to the change, with or without `next_run`; after a restart of the engine too. With
            `next_run=true` a GET tells what is stored, and `next_run_configuration_exists` is true for as long as the two differ. With
            its next start, which is the second half of a cold reboot, a VM is what is stored; a reboot of its guest changes
            nothing. Name, description, comment, high availability, protection, the guest's system, disks and interfaces are always
            told as they are stored.
            """;

    @Test
    void thePageSaysWhatIsServed() throws Exception {
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
