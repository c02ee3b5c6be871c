package org.stillwater.ovirt.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The answers, byte for byte, in both media types. With {@code -Dstillwater.golden=write} the files
 * are written instead; look at the difference before it is committed.
 */
class GoldenTest {

    private static final Path FILES = Path.of("src", "test", "resources", "golden");
    private static final String WEB = "/vms/" + SmallFleet.WEB;
    private static final String HOST = "/hosts/" + SmallFleet.NODE_01;

    private final Asked asked = new Asked(new SmallFleet());

    private static List<String> paths() {
        List<String> paths = new ArrayList<>();
        paths.add("");
        for (String top :
                List.of(
                        "vms",
                        "hosts",
                        "clusters",
                        "datacenters",
                        "disks",
                        "events",
                        "jobs",
                        "storagedomains",
                        "templates",
                        "networks",
                        "vnicprofiles",
                        "vmpools",
                        "users",
                        "groups",
                        "domains",
                        "roles",
                        "permissions",
                        "tags",
                        "icons",
                        "operatingsystems",
                        "instancetypes",
                        "clusterlevels",
                        "macpools",
                        "affinitylabels",
                        "bookmarks")) {
            paths.add("/" + top);
        }
        for (String part :
                List.of(
                        "",
                        "/nics",
                        "/reporteddevices",
                        "/diskattachments",
                        "/snapshots",
                        "/statistics",
                        "/graphicsconsoles",
                        "/numanodes",
                        "/cdroms",
                        "/applications",
                        "/sessions",
                        "/tags",
                        "/permissions",
                        "/hostdevices",
                        "/affinitylabels",
                        "/watchdogs",
                        "/mediateddevices")) {
            paths.add(WEB + part);
        }
        paths.add("/vms/" + SmallFleet.DESK + "/statistics");
        paths.add("/vms/" + SmallFleet.FOUND);
        paths.add(WEB + "/nics/" + SmallFleet.NIC);
        paths.add(WEB + "/nics/" + SmallFleet.NIC + "/statistics");
        paths.add(WEB + "/statistics/b7499508-c1c3-32f0-8174-c1783e57bb08");
        paths.add("/disks/" + SmallFleet.IMAGE);
        paths.add("/disks/" + SmallFleet.IMAGE + "/statistics");
        for (String part :
                List.of(
                        "",
                        "/nics",
                        "/statistics",
                        "/numanodes",
                        "/tags",
                        "/devices",
                        "/fenceagents")) {
            paths.add(HOST + part);
        }
        paths.add(HOST + "/nics/" + nic() + "/statistics");
        paths.add(HOST + "/numanodes/" + node() + "/statistics");
        paths.add("/hosts/" + SmallFleet.NODE_02);
        paths.add("/clusters/" + SmallFleet.EAST);
        paths.add("/clusters/" + SmallFleet.EAST + "/affinitygroups");
        paths.add("/datacenters/00000000-0000-0000-0000-000000000001/storagedomains");
        paths.add("/events/4711");
        paths.add("/jobs/" + SmallFleet.OPERATION);
        paths.add("/jobs/" + SmallFleet.OPERATION + "/steps");
        paths.add("/templates/00000000-0000-0000-0000-000000000000");
        paths.add("/options/MaxNumOfVmCpus");
        paths.add("/vms/00000000-0000-0000-0000-0000000000ff");
        paths.add("/nothing/here");
        for (String item :
                List.of(
                        "/datacenters/{first}",
                        "/datacenters/{first}/clusters",
                        "/datacenters/{first}/networks",
                        "/datacenters/{first}/permissions",
                        "/datacenters/{first}/storagedomains/{first}",
                        WEB + "/nics/{first}/reporteddevices",
                        "/storagedomains/{first}",
                        "/storagedomains/{first}/disks",
                        "/networks/{first}",
                        "/networks/{first}/vnicprofiles",
                        "/vnicprofiles/{first}",
                        "/vmpools/{first}",
                        "/users/{first}",
                        "/users/{first}/permissions",
                        "/users/{first}/groups",
                        "/users/{first}/options",
                        "/groups/{first}",
                        "/domains/{first}",
                        "/roles/{first}",
                        "/roles/{first}/permits",
                        "/permissions/{first}",
                        "/icons/{first}",
                        "/operatingsystems/{first}",
                        "/instancetypes/{first}",
                        "/clusterlevels/{first}",
                        "/macpools/{first}",
                        "/tags/{first}",
                        "/options",
                        "/templates/{first}/nics",
                        "/templates/{first}/diskattachments",
                        "/jobs/{first}/steps/{first}",
                        "/jobs/{first}/steps/{first}/statistics",
                        "/disks/{first}/permissions")) {
            paths.add(item);
        }
        for (String part :
                List.of("networks", "permissions", "affinitygroups/{first}", "cpuprofiles")) {
            paths.add("/clusters/" + SmallFleet.EAST + "/" + part);
        }
        for (String part :
                List.of(
                        "hooks",
                        "storage",
                        "permissions",
                        "fenceagents/{first}",
                        "nics/{first}",
                        "numanodes/{first}",
                        "statistics/{first}")) {
            paths.add(HOST + "/" + part);
        }
        for (String part :
                List.of(
                        "applications/{first}",
                        "cdroms/{first}",
                        "diskattachments/{first}",
                        "graphicsconsoles/{first}",
                        "permissions/{first}",
                        "reporteddevices/{first}",
                        "sessions/{first}",
                        "snapshots/{first}",
                        "snapshots/{first}/disks",
                        "snapshots/{first}/nics")) {
            paths.add(WEB + "/" + part);
        }
        for (String followed :
                List.of(
                        "/events?follow=vm,host,cluster,data_center,user",
                        "/disks?follow=storage_domains.data_centers",
                        "/vmpools?follow=vm.cluster",
                        "/networks?follow=data_center",
                        "/permissions?follow=role.permits,user")) {
            paths.add(followed);
        }
        paths.add(WEB + "?follow=statistics.nothing");
        paths.add("/vms?search=name%3Dweb*&follow=nics.reporteddevices,disk_attachments.disk");
        return paths;
    }

    private static String nic() {
        return Uuids.of("host_nic", SmallFleet.NODE_01.toString(), "eno1");
    }

    private static String node() {
        return Uuids.of("host_numa_node", SmallFleet.NODE_01.toString(), "0");
    }

    @TestFactory
    List<DynamicTest> whatIsAnswered() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String path : paths()) {
            for (String type : List.of("xml", "json")) {
                tests.add(
                        DynamicTest.dynamicTest(
                                type + " " + (path.isEmpty() ? "/" : path),
                                () -> check(path, type)));
            }
        }
        return tests;
    }

    /** The path with the identity of a collection's first item wherever that is asked for. */
    private String found(String path) {
        int at = path.indexOf("/{first}");
        if (at < 0) {
            return path;
        }
        var items = asked.json(path.substring(0, at)).iterator();
        assertThat(items.hasNext()).as("items of " + path).isTrue();
        String id = items.next().get(0).path("id").asString();
        return found(path.substring(0, at) + "/" + id + path.substring(at + "/{first}".length()));
    }

    private void check(String wanted, String type) throws IOException {
        String path = found(wanted);
        Answer answer = asked.get(path, "Accept", "application/" + type);
        String said =
                "GET "
                        + Request.BASE
                        + path
                        + "\nAccept: application/"
                        + type
                        + "\n\n"
                        + answer.status()
                        + " "
                        + answer.format().mediaType()
                        + "\n\n"
                        + asked.text(answer)
                        + "\n";
        Path file = FILES.resolve(name(wanted) + "." + type + ".txt");
        if ("write".equals(System.getProperty("stillwater.golden"))) {
            Files.createDirectories(FILES);
            Files.writeString(file, said);
        }
        assertThat(said).as(file.toString()).isEqualTo(Files.readString(file));
    }

    private static String name(String path) {
        String plain =
                path.replace("{first}", "first")
                        .replace(SmallFleet.WEB.toString(), "web")
                        .replace(SmallFleet.DESK.toString(), "desk")
                        .replace(SmallFleet.FOUND.toString(), "found")
                        .replace(SmallFleet.NODE_01.toString(), "node-01")
                        .replace(SmallFleet.NODE_02.toString(), "node-02")
                        .replace(SmallFleet.EAST.toString(), "east")
                        .replace(SmallFleet.NIC.toString(), "nic1")
                        .replace(SmallFleet.IMAGE.toString(), "root")
                        .replace(SmallFleet.OPERATION.toString(), "run")
                        .replace(nic(), "eno1")
                        .replace(node(), "0")
                        .replaceAll("[^A-Za-z0-9.-]+", "_");
        return plain.isEmpty() ? "root" : plain.substring(1);
    }
}
