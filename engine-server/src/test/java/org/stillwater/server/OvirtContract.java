package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The compatible API's hosts and VMs, for any hypervisor. The engine polls only on request. */
abstract class OvirtContract {

    static final String API = "/ovirt-engine/api";

    private static final int QUIET_ROUNDS = 5;
    private static final int MOST_ROUNDS = 200;
    private static final HttpClient HTTP =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();

    /** The hosts and VMs of this run. */
    abstract ContractSubject subject();

    /** Every begun operation is written. */
    static void settle(RunningEngine engine) {
        long before = -1;
        int quiet = 0;
        for (int round = 0; quiet < QUIET_ROUNDS; round++) {
            assertThat(round).as("rounds, still writing").isLessThan(MOST_ROUNDS);
            engine.pollAll();
            engine.awaitWritten();
            long now = engine.statements();
            quiet = now == before ? quiet + 1 : 0;
            before = now;
        }
    }

    HttpResponse<byte[]> send(String method, String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(subject().engine().address() + path))
                        .method(method, HttpRequest.BodyPublishers.noBody());
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        try {
            return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new AssertionError(method + " " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    HttpResponse<byte[]> get(String path, String... headers) {
        return send("GET", API + path, headers);
    }

    static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    JsonNode json(String path) {
        HttpResponse<byte[]> response = get(path, "Accept", "application/json");
        assertThat(response.statusCode()).as(path).isEqualTo(200);
        return RunningEngine.JSON.readTree(response.body());
    }

    static String header(HttpResponse<byte[]> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @Test
    void vmsAndHostsAreListed() {
        JsonNode vms = json("/vms?follow=statistics,nics,disk_attachments.disk");
        assertThat(vms.path("vm").size()).isGreaterThanOrEqualTo(subject().vms());
        for (JsonNode vm : vms.path("vm")) {
            assertThat(vm.path("statistics").path("statistic").size()).isEqualTo(16);
        }
        for (JsonNode host : json("/hosts?follow=statistics").path("host")) {
            assertThat(host.path("status").asString()).isEqualTo("up");
            assertThat(host.path("statistics").path("statistic").size()).isGreaterThanOrEqualTo(13);
        }
        JsonNode found = json("/vms?search=status%3Dup+sortby+name+asc+page+1&max=5");
        assertThat(found.path("vm").size()).isEqualTo(5);
    }

    /** Each link leads to an object. */
    @Test
    void everyReferenceLeadsSomewhere() {
        Set<String> hrefs = new HashSet<>();
        collect(json("/vms;max=3?follow=nics,disk_attachments,snapshots"), hrefs);
        collect(json("/hosts;max=1?follow=nics"), hrefs);
        collect(json("/vnicprofiles"), hrefs);
        collect(json("/storagedomains"), hrefs);
        collect(json("/"), hrefs);
        assertThat(hrefs).hasSizeGreaterThan(60);
        for (String href : hrefs) {
            assertThat(send("GET", href).statusCode()).as(href).isEqualTo(200);
        }
    }

    private static void collect(JsonNode node, Set<String> hrefs) {
        JsonNode href = node.path("href");
        if (href.isString() && !href.asString().contains("{")) {
            hrefs.add(href.asString());
        }
        if (node.isArray()) {
            node.forEach(child -> collect(child, hrefs));
        }
        for (var member : node.properties()) {
            // Actions are asked for with POST.
            if (!member.getKey().equals("actions")) {
                collect(member.getValue(), hrefs);
            }
        }
    }

    @Test
    void nothingIsReadFromTheDatabase() {
        List<String> paths = new ArrayList<>();
        for (String list :
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
                        "roles",
                        "permissions",
                        "tags",
                        "operatingsystems")) {
            paths.add("/" + list);
        }
        paths.add("");
        paths.add(
                "/vms?follow=statistics,nics.statistics,disk_attachments.disk,snapshots,sessions");
        paths.add("/hosts?follow=statistics,nics.statistics,numa_nodes.statistics");
        paths.add("/disks?follow=statistics");
        paths.add("/vms?search=status%3Dup+and+cpu_usage%3E0+sortby+name");
        String vm = json("/vms;max=1").path("vm").get(0).path("id").asString();
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
                        "/permissions")) {
            paths.add("/vms/" + vm + part);
        }
        RunningEngine engine = subject().engine();
        settle(engine);
        long before = engine.statements();
        for (String path : paths) {
            assertThat(get(path).statusCode()).as(path).isEqualTo(200);
            assertThat(engine.statements()).as("statements after %s", path).isEqualTo(before);
        }
    }

    @Test
    void unchangedEntitiesGet304() {
        for (String path : List.of("/vms", "/vms;max=2?follow=statistics", "/hosts", "/clusters")) {
            HttpResponse<byte[]> first = get(path);
            String tag = header(first, "ETag");
            assertThat(tag).as(path).matches("\"[0-9a-f]{32}\"");
            assertThat(header(first, "Cache-Control")).contains("private");
            assertThat(header(first, "Vary")).contains("Accept");
            HttpResponse<byte[]> again = get(path, "If-None-Match", tag);
            for (int i = 0; i < 9 && again.statusCode() == 200; i++) {
                tag = header(again, "ETag"); // a host's numbers came between the two
                again = get(path, "If-None-Match", tag);
            }
            assertThat(again.statusCode()).as(path).isEqualTo(304);
            assertThat(again.body()).isEmpty();
            assertThat(header(again, "ETag")).isEqualTo(tag);
            assertThat(get(path, "If-None-Match", tag, "Accept", "application/json").statusCode())
                    .as("another media type")
                    .isEqualTo(200);
        }
        String numbers = header(get("/vms"), "ETag");
        subject().change(7).make();
        assertThat(get("/vms", "If-None-Match", numbers).statusCode())
                .as("after a change")
                .isEqualTo(200);
    }
}
