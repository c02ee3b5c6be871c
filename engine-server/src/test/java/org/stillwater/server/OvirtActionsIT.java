package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.tls.ProxyTicketDecoder;
import tools.jackson.databind.JsonNode;

/** Changes by the compatible API, as bytes on the wire: every answer that chapter 4 has. */
class OvirtActionsIT {

    private static final String API = "/ovirt-engine/api/";
    private static final String NOBODY = new UUID(0, 255).toString();

    @TempDir static Path folder;
    private static SdkFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        fleet =
                SdkFleet.start(
                        folder,
                        "--stillwater.clusters.most-group-members=2",
                        "--stillwater.ovirt.reference.web-socket-proxy=proxy.example:6100");
        engine = fleet.engine();
    }

    @AfterAll
    static void stop() {
        fleet.close();
    }

    private static HttpResponse<String> send(
            String method, String path, String body, String... headers) {
        return engine.api().send(method, API + path, body, headers);
    }

    private static HttpResponse<String> xml(String path, String body) {
        return send("POST", path, body, "Content-Type", "application/xml");
    }

    private static HttpResponse<String> json(String path, String body, String... more) {
        String[] headers = new String[4 + more.length];
        headers[0] = "Content-Type";
        headers[1] = "application/json";
        headers[2] = "Accept";
        headers[3] = "application/json";
        System.arraycopy(more, 0, headers, 4, more.length);
        return send("POST", path, body, headers);
    }

    private static JsonNode read(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
        return RunningEngine.JSON.readTree(answer.body());
    }

    private static JsonNode get(String path) {
        return read(send("GET", path, "", "Accept", "application/json"), 200);
    }

    private static String id(String search) {
        return get("vms?max=1&search=" + search.replace(" ", "%20"))
                .path("vm")
                .path(0)
                .path("id")
                .asString();
    }

    private static String status(String vm) {
        return get("vms/" + vm).path("status").asString();
    }

    private static void until(String vm, String status) {
        RunningEngine.await(() -> status(vm).equals(status), () -> status(vm));
    }

    @Test
    void anActionIsAnsweredOnceTheHostHasTakenIt() {
        String vm = id("name=defined0");
        HttpResponse<String> answer =
                send(
                        "POST",
                        "vms/" + vm + "/start",
                        "<action/>",
                        "Content-Type",
                        "application/xml",
                        "Correlation-Id",
                        "mine-1");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Correlation-Id")).contains("mine-1");
        assertThat(answer.body())
                .contains("<action>")
                .contains("<status>complete</status>")
                .contains("<vm id=\"" + vm + "\" href=\"/ovirt-engine/api/vms/" + vm + "\"/>");
        assertThat(status(vm)).isNotEqualTo("down");
        JsonNode jobs = get("jobs?search=correlation_id=mine-1").path("job");
        assertThat(jobs.size()).isEqualTo(1);
        String job = jobs.path(0).path("id").asString();
        assertThat(answer.body())
                .contains("<job id=\"" + job + "\" href=\"/ovirt-engine/api/jobs/" + job + "\"/>");
        assertThat(get("jobs/" + job + "/steps").path("step").size()).isPositive();
        until(vm, "up");
        awaitEvents("mine-1", 1);
        engine.awaitWritten();
        assertThat(
                        engine.json("/api/v1/events?event=USER_RUN_VM&vm=" + vm)
                                .path("items")
                                .path(0)
                                .path("details")
                                .path("correlation")
                                .asString())
                .isEqualTo("mine-1");

        HttpResponse<String> again = xml("vms/" + vm + "/start", "<action></action>");
        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(again.body())
                .contains("<action><fault><detail>[Cannot run VM: the VM is up: it runs already.")
                .contains("<reason>Operation Failed</reason></fault><status>failed</status>");
        JsonNode failed = read(json("vms/" + vm + "/start", "{}"), 409);
        assertThat(failed.path("status").asString()).isEqualTo("failed");
        assertThat(failed.path("fault").path("reason").asString()).isEqualTo("Operation Failed");

        JsonNode unknown = read(json("vms/" + vm + "/stop", "{\"what\":[{\"is\":\"this\"}]}"), 400);
        assertThat(unknown.path("fault").path("detail").asString()).contains("what");
        JsonNode stopped = read(json("vms/" + vm + "/stop", "{}"), 200);
        assertThat(stopped.path("status").asString()).isEqualTo("complete");
        until(vm, "down");
    }

    @Test
    void anAsynchronousActionHasALinkToItsState() {
        String vm = id("name=defined1");
        JsonNode later = read(json("vms/" + vm + "/start", "{\"async\":\"true\"}"), 202);
        assertThat(later.path("async").asString()).isEqualTo("true");
        assertThat(later.path("status").asString()).isEqualTo("pending");
        assertThat(later.path("link")).hasSize(2);
        String href = later.path("href").asString();
        assertThat(href)
                .isEqualTo("/ovirt-engine/api/vms/" + vm + "/start/" + later.path("id").asString());
        RunningEngine.await(
                () ->
                        get(href.substring(API.length()))
                                .path("status")
                                .asString()
                                .equals("complete"),
                () -> get(href.substring(API.length())).toString());
        until(vm, "up");
        JsonNode query = read(json("vms/" + vm + "/suspend?async=true", "{}"), 202);
        assertThat(query.path("status").asString()).isEqualTo("in_progress");
        until(vm, "suspended");
        JsonNode expected =
                read(json("vms/" + vm + "/start", "", "X-Ovirt-Expect", "202-accepted"), 202);
        assertThat(expected.path("status").asString()).isEqualTo("pending");
        until(vm, "up");
        JsonNode blocked =
                read(json("vms/" + vm + "/shutdown", "{\"async\":false,\"reason\":\"bye\"}"), 200);
        assertThat(blocked.path("status").asString()).isEqualTo("complete");
        assertThat(status(vm)).isEqualTo("down");
        assertThat(send("GET", "vms/" + vm + "/start/" + NOBODY, "").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "POST   | vms/VM/fly                      | 404",
                "POST   | vms/VM/clone                    | 404",
                "POST   | vms/VM/cancelmigration          | 409",
                "POST   | vms/VM/detach                   | 409",
                "POST   | vms/NOBODY/start                | 404",
                "POST   | vms/nonsense/start              | 404",
                "POST   | hosts/NOBODY/activate           | 404",
                "POST   | hosts/HOST/activate             | 409",
                "POST   | hosts/HOST/fence                | 400",
                "POST   | hosts/HOST/upgrade              | 404",
                "POST   | hosts/HOST/refresh              | 200",
                "POST   | vms/VM/nics/NOBODY/activate     | 404",
                "POST   | vms/VM/nics/NOBODY/plug         | 404",
                "POST   | vms/VM/diskattachments/NOBODY/deactivate | 404",
                "POST   | vms                             | 400",
                "POST   | vmpools                         | 400",
                "POST   | events                          | 400",
                "DELETE | events/17                       | 404",
                "POST   | jobs/NOBODY/clear               | 404",
                "POST   | vmpools/NOBODY/allocatevm       | 404",
                "POST   | clusters                        | 400",
                "POST   | hosts                           | 400",
                "PUT    | hosts/NOBODY                    | 404",
                "DELETE | clusters/NOBODY                 | 404",
                "POST   | vms/NOBODY/nics                 | 404",
                "POST   | vms/VM/nics                     | 400",
                "PUT    | vms/VM/nics/NOBODY              | 404",
                "DELETE | vms/VM/diskattachments/NOBODY   | 404",
                "POST   | vms/VM/diskattachments          | 400",
                "PUT    | vms/VM/cdroms/NOBODY            | 404",
                "DELETE | vms/VM/watchdogs/NOBODY         | 404",
                "POST   | vms/VM/graphicsconsoles         | 400",
                "POST   | hosts/HOST/fenceagents          | 400",
                "DELETE | hosts/HOST/fenceagents/NOBODY   | 404",
                "POST   | clusters/NOBODY/affinitygroups  | 404",
                "POST   | disks                           | 501",
                "DELETE | disks/NOBODY                    | 404",
                "POST   | tags                            | 400",
                "PUT    | tags/NOBODY                     | 404",
                "DELETE | tags/NOBODY                     | 404",
                "POST   | vms/VM/tags                     | 400",
                "DELETE | vms/VM/tags/NOBODY              | 404",
                "POST   | hosts/HOST/tags                 | 400",
                "DELETE | hosts/HOST/tags/NOBODY          | 404",
                "POST   | domains                         | 405",
                "PUT    | vms                             | 405",
                "PUT    | vms/NOBODY                      | 404",
                "DELETE | vms/NOBODY                      | 404",
                "DELETE | vms                             | 405",
                "DELETE | nothing                         | 404",
                "PATCH  | vms/VM                          | 405",
                "PUT    | vms/VM/cdroms/NOBODY            | 404",
                "PUT    | vms/VM/nics/NOBODY              | 404",
                "PUT    | vms/VM/diskattachments/NOBODY   | 404",
                "PUT    | hosts/HOST/nics/NOBODY          | 404",
                "PUT    | hosts/HOST/statistics           | 405",
            })
    void impossibleActionsAreRefusedWithAReason(String method, String path, int status) {
        String host = get("hosts?max=1").path("host").path(0).path("id").asString();
        String real =
                path.replace("NOBODY", NOBODY)
                        .replace("VM/", id("status=down") + "/")
                        .replaceAll("VM$", id("status=down"))
                        .replace("HOST", host);
        HttpResponse<String> answer = send(method, real, "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).containsAnyOf("<detail>", "<status>complete</status>");
    }

    @Test
    void aBodyIsReadOnceWhereNothingIsChanged() {
        String host = get("hosts?max=1").path("host").path(0).path("id").asString();
        String cluster = get("clusters?max=1").path("cluster").path(0).path("id").asString();
        for (String list :
                List.of("hosts/" + host + "/nics", "clusters/" + cluster + "/networks")) {
            JsonNode all = get(list).path(list.endsWith("nics") ? "host_nic" : "network");
            String path = list + '/' + all.path(0).path("id").asString();
            HttpResponse<String> answer =
                    send(
                            "PUT",
                            path,
                            "{\"name\":\"other\"}",
                            "Content-Type",
                            "application/json",
                            "Accept",
                            "application/json");
            assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isLessThan(500);
            if (answer.statusCode() == 405) {
                assertThat(read(answer, 405).path("reason").asString())
                        .isEqualTo("Operation Failed");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<action>",
                "nonsense",
                "{\"async\":",
                "{\"async\":\"maybe\"}",
                "<!DOCTYPE a [<!ENTITY e SYSTEM"
                        + " 'file:///etc/passwd'>]><action><reason>&e;</reason></action>"
            })
    void aSenselessBodyIsRefused(String body) {
        HttpResponse<String> answer = xml("vms/" + id("status=down") + "/shutdown", body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains("<fault>").doesNotContain("root:");
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "POST | vms          | <host><name>wrong</name></host>",
                "POST | vms          | <action><name>wrong</name></action>",
                "POST | vms          | [{\"name\":\"wrong\"}]",
                "POST | vms          | {\"vm\":{\"name\":\"wrong\"}}",
                "POST | vmpools      | <vm><name>wrong</name></vm>",
                "POST | events       | <vm><description>wrong</description></vm>",
                "PUT  | vms/VM       | <template><name>wrong</name></template>",
                "PUT  | vms/VM       | {\"root_password\":\"wrong\"}",
                "POST | vms/VM/start | <vm><name>wrong</name></vm>",
                "POST | vms/VM/start | [1]",
                "POST | vms/VM/start | {\"grace_period\":{\"expiry\":\"60000\"}}",
                "POST | vms/VM/stop  |"
                        + " <action><grace_period><expiry>1</expiry></grace_period></action>"
            })
    void bodiesOfOtherRequestsAreRefused(String method, String path, String body) {
        String vm = id("name=defined3");
        String type = body.startsWith("<") ? "application/xml" : "application/json";
        HttpResponse<String> answer =
                send(method, path.replace("VM", vm), body, "Content-Type", type);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains("<fault><detail>");
        assertThat(get("vms?search=name=wrong").toString()).isEqualTo("{}");
        assertThat(get("vms/" + vm).path("name").asString()).isEqualTo("defined3");
    }

    @Test
    void theStateOfPowerIsUnknownWithoutAnAgent() {
        String host = get("hosts?max=1").path("host").path(0).path("id").asString();
        JsonNode answer =
                read(json("hosts/" + host + "/fence", "{\"fence_type\":\"status\"}"), 200);
        assertThat(answer.path("power_management").path("status").asString()).isEqualTo("unknown");
        assertThat(
                        read(json("hosts/" + host + "/fence", "{\"fence_type\":\"kick\"}"), 400)
                                .path("fault")
                                .path("detail")
                                .asString())
                .contains("manual, restart, start, status or stop");
        assertThat(json("hosts/" + host + "/fence", "{\"fence_type\":\"manual\"}").statusCode())
                .isEqualTo(409);
    }

    /** Until so many events are found by what their caller calls them; each says so. */
    private static void awaitEvents(String correlation, int count) {
        String path = "events?search=correlation_id%3D" + correlation;
        RunningEngine.await(
                () -> get(path).path("event").size() >= count, () -> get("events").toString());
        JsonNode events = get(path).path("event");
        assertThat(events.findValuesAsString("correlation_id"))
                .hasSize(count)
                .containsOnly(correlation);
    }

    @Test
    void eventsAreFoundByTheCallersCorrelationId() {
        HttpResponse<String> added =
                json("vms", "{\"name\":\"called\"}", "Correlation-Id", "call-1");
        assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
        awaitEvents("call-1", 1);
        String path = "vms/" + read(added, 201).path("id").asString();
        send(
                "PUT",
                path,
                "{\"comment\":\"as agreed\"}",
                "Content-Type",
                "application/json",
                "Correlation-Id",
                "call-2");
        awaitEvents("call-2", 1);
        HttpResponse<String> refused =
                json(path + "/stop?correlation_id=call-3", "{}", "Correlation-Id", "unused");
        assertThat(refused.statusCode()).isEqualTo(409);
        send("DELETE", path, "", "Correlation-Id", "call-4");
        awaitEvents("call-4", 2); // that it was asked for, and that it was done
    }

    @Test
    void aVmIsAddedChangedAndRemoved() {
        HttpResponse<String> added =
                xml(
                        "vms",
                        "<vm><name>made</name><template><name>Blank</name></template>"
                            + "<memory>536870912</memory><memory_policy><guaranteed>268435456</guaranteed></memory_policy>"
                            + "<cpu><topology><cores>2</cores><sockets>2</sockets></topology></cpu>"
                            + "<os><boot><devices><device>network</device></devices></boot></os>"
                            + "<high_availability><enabled>true</enabled><priority>7</priority></high_availability>"
                            + "<nics><nic><name>nic1</name></nic></nics></vm>");
        assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
        String href = added.headers().firstValue("Location").orElseThrow();
        String path = href.substring(API.length());
        JsonNode vm = get(path);
        assertThat(vm.path("memory").asString()).isEqualTo("536870912");
        assertThat(vm.path("memory_policy").path("guaranteed").asString()).isEqualTo("268435456");
        assertThat(vm.path("cpu").path("topology").path("sockets").asString()).isEqualTo("2");
        assertThat(vm.path("high_availability").path("enabled").asString()).isEqualTo("true");
        assertThat(get(path + "/nics").path("nic").path(0).path("name").asString())
                .isEqualTo("nic1");
        assertThat(json("vms", "{\"name\":\"made\"}").statusCode()).isEqualTo(409);
        assertThat(
                        json("vms", "{\"name\":\"x\",\"template\":{\"id\":\"" + NOBODY + "\"}}")
                                .statusCode())
                .isEqualTo(404);
        HttpResponse<String> changed =
                send(
                        "PUT",
                        path,
                        "{\"name\":\"remade\",\"memory\":1073741824}",
                        "Content-Type",
                        "application/json");
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        assertThat(changed.body())
                .contains("<name>remade</name>")
                .contains("<memory>1073741824</memory>");
        HttpResponse<String> refused =
                send(
                        "PUT",
                        path,
                        "<vm><memory_policy><guaranteed>4294967296</guaranteed></memory_policy></vm>");
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).contains("Physical Memory Guaranteed cannot exceed Memory Size");
        HttpResponse<String> removed = send("DELETE", path, "");
        assertThat(removed.statusCode()).as(removed.body()).isEqualTo(200);
        assertThat(removed.body()).contains("<status>complete</status>");
        assertThat(send("GET", path, "").statusCode()).isEqualTo(404);
    }

    @Test
    void aPoolOfSizeThreeHasThreeVms() {
        HttpResponse<String> added =
                json(
                        "vmpools",
                        "{\"name\":\"seat??s\",\"size\":\"3\",\"template\":{\"name\":\"Blank\"}}");
        JsonNode pool = read(added, 201);
        String path = "vmpools/" + pool.path("id").asString();
        assertThat(pool.path("size").asString()).isEqualTo("3");
        for (int n = 1; n <= 3; n++) {
            String vm = id("name=seat0" + n + "s");
            assertThat(get("vms/" + vm).path("vm_pool").path("id").asString())
                    .isEqualTo(pool.path("id").asString());
        }
        JsonNode larger =
                read(
                        send(
                                "PUT",
                                path,
                                "<vm_pool><size>4</size></vm_pool>",
                                "Accept",
                                "application/json"),
                        200);
        assertThat(larger.path("size").asString()).isEqualTo("4");
        assertThat(id("name=seat04s")).isNotEmpty();
        HttpResponse<String> smaller = send("PUT", path, "<vm_pool><size>2</size></vm_pool>");
        assertThat(smaller.statusCode()).as(smaller.body()).isEqualTo(409);
        assertThat(smaller.body()).contains("it has 4 VMs");
        assertThat(send("DELETE", path, "").statusCode()).isEqualTo(200);
        for (int n = 1; n <= 4; n++) {
            String vm = id("name=seat0" + n + "s");
            assertThat(send("DELETE", "vms/" + vm, "").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void requestsThatEnlargeAPoolAtOnceAddItsVmsOnce() {
        JsonNode pool = read(json("vmpools", "{\"name\":\"bench\",\"size\":\"1\"}"), 201);
        String path = "vmpools/" + pool.path("id").asString();
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(
                    CompletableFuture.supplyAsync(() ->
                            send("PUT", path, "<vm_pool><size>6</size></vm_pool>").statusCode()));
        }
        assertThat(all).allSatisfy(each -> assertThat(each.join()).isEqualTo(200));
        assertThat(get(path).path("size").asString()).isEqualTo("6");
        assertThat(get("vms?search=name%3Dbench-*").path("vm").size()).isEqualTo(6);
        assertThat(send("DELETE", path, "").statusCode()).isEqualTo(200);
        for (int n = 1; n <= 6; n++) {
            String vm = id("name=bench-" + n);
            assertThat(send("DELETE", "vms/" + vm, "").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aPoolThatIsEnlargedAndRenamedToATakenNameGetsNoVm() {
        JsonNode taken = read(json("vmpools", "{\"name\":\"sofas\"}"), 201);
        JsonNode pool = read(json("vmpools", "{\"name\":\"stools\",\"size\":\"1\"}"), 201);
        String path = "vmpools/" + pool.path("id").asString();
        HttpResponse<String> refused =
                send("PUT", path, "<vm_pool><name>sofas</name><size>3</size></vm_pool>");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
        assertThat(refused.body()).contains("already a pool of this name");
        assertThat(get(path).path("size").asString()).isEqualTo("1");
        assertThat(get("vms?search=name%3Dsofas-*").path("vm").isEmpty()).isTrue();
        assertThat(get("vms?search=name%3Dstools-*").path("vm").size()).isEqualTo(1);
        assertThat(send("DELETE", path, "").statusCode()).isEqualTo(200);
        String other = "vmpools/" + taken.path("id").asString();
        assertThat(send("DELETE", other, "").statusCode()).isEqualTo(200);
        assertThat(send("DELETE", "vms/" + id("name=stools-1"), "").statusCode()).isEqualTo(200);
    }

    @Test
    void aPoolOfAnUnknownTemplateIsRefused() {
        HttpResponse<String> refused =
                json(
                        "vmpools",
                        "{\"name\":\"chairs\",\"size\":\"3\",\"template\":{\"name\":\"nosuch\"}}");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(404);
        assertThat(refused.body()).contains("Template").contains("nosuch");
        assertThat(get("vmpools?search=name%3Dchairs").path("vm_pool").isEmpty()).isTrue();
    }

    @Test
    void aPoolIsMadeAndRemoved() {
        HttpResponse<String> added = json("vmpools", "{\"name\":\"desks\",\"max_user_vms\":\"2\"}");
        JsonNode pool = read(added, 201);
        String path = "vmpools/" + pool.path("id").asString();
        assertThat(pool.path("max_user_vms").asString()).isEqualTo("2");
        assertThat(pool.path("size").asString()).isEqualTo("0");
        JsonNode none = read(json(path + "/allocatevm", "{}"), 409);
        assertThat(none.path("fault").path("detail").asString()).contains("it has no free VM");
        assertThat(send("DELETE", path, "").statusCode()).isEqualTo(200);
    }

    @Test
    void theStopReasonIsShownUntilTheNextRun() {
        String vm = id("name=defined2");
        for (String action : List.of("stop", "shutdown")) {
            assertThat(xml("vms/" + vm + "/start", "<action/>").statusCode()).isEqualTo(200);
            until(vm, "up");
            assertThat(get("vms/" + vm).has("stop_reason")).isFalse();
            HttpResponse<String> stopped =
                    xml(
                            "vms/" + vm + "/" + action,
                            "<action><async>false</async><reason> new <![CDATA[<rack> &"
                                    + " more]]></reason></action>");
            assertThat(stopped.statusCode()).as(stopped.body()).isEqualTo(200);
            until(vm, "down");
            assertThat(get("vms/" + vm).path("stop_reason").asString())
                    .isEqualTo("new <rack> & more");
        }
        assertThat(xml("vms/" + vm + "/start", "<action/>").statusCode()).isEqualTo(200);
        assertThat(get("vms/" + vm).has("stop_reason")).isFalse();
        until(vm, "up");
        assertThat(xml("vms/" + vm + "/stop", "<action/>").statusCode()).isEqualTo(200);
        until(vm, "down");
        assertThat(get("vms/" + vm).has("stop_reason")).isFalse();
    }

    @Test
    void fenceAgentsAreShownWithoutSecrets() {
        JsonNode hosts = get("hosts").path("host");
        String host = hosts.path(hosts.size() - 1).path("id").asString();
        assertThat(get("hosts/" + host + "/fenceagents").isEmpty()).isTrue();
        HttpResponse<String> saved =
                engine.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                engine.address()
                                                        + "/api/v1/hosts/"
                                                        + host
                                                        + "/fence-agents"))
                                .header("Content-Type", "application/json")
                                .PUT(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"items\":[{\"type\":\"ipmilan\",\"address\":\"192.0.2.7\",\"port\":623,\"user\":\"root\",\"password\":\"verysecret\",\"options\":{\"hexadecimal_kg\":\"c0ffee42\"}}]}"))
                                .build());
        assertThat(saved.statusCode()).as(saved.body()).isEqualTo(200);
        JsonNode agent = get("hosts/" + host + "/fenceagents").path("agent").path(0);
        assertThat(agent.path("type").asString()).isEqualTo("ipmilan");
        assertThat(agent.path("address").asString()).isEqualTo("192.0.2.7");
        assertThat(agent.path("port").asString()).isEqualTo("623");
        assertThat(agent.path("order").asString()).isEqualTo("1");
        assertThat(agent.path("username").asString()).isEqualTo("root");
        assertThat(agent.toString()).doesNotContain("verysecret", "c0ffee42");
        String href = agent.path("href").asString();
        assertThat(get(href.substring(API.length())).path("host").path("id").asString())
                .isEqualTo(host);
        JsonNode followed = get("hosts/" + host + "?follow=fence_agents,fenceagents");
        assertThat(followed.toString()).contains("192.0.2.7");
        assertThat(get("hosts/" + host + "/fenceagents?filter=true").isEmpty()).isTrue();
    }

    private static JsonNode put(String path, String body, int status) {
        return read(
                send(
                        "PUT",
                        path,
                        body,
                        "Content-Type",
                        body.startsWith("<") ? "application/xml" : "application/json",
                        "Accept",
                        "application/json"),
                status);
    }

    private static void gone(String path) {
        HttpResponse<String> removed = send("DELETE", path, "");
        assertThat(removed.statusCode()).as(removed.body()).isEqualTo(200);
        assertThat(removed.body()).contains("<status>complete</status>");
    }

    private static String added(String collection, String body) {
        HttpResponse<String> added = xml(collection, body);
        assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
        String path = added.headers().firstValue("Location").orElseThrow().substring(API.length());
        assertThat(path).startsWith(collection + "/");
        assertThat(get(path).path("id").asString()).isEqualTo(path.substring(path.length() - 36));
        return path;
    }

    private static String vm(String name) {
        return "vms/"
                + read(json("vms", "{\"name\":\"%s\"}".formatted(name)), 201).path("id").asString();
    }

    private static JsonNode definition(String vm) {
        return engine.json("/api/v1/" + vm + "/definition");
    }

    @Test
    void aVmHasTheInterfacesThatClientsGiveIt() {
        String vm = vm("wired");
        JsonNode profile = get("vnicprofiles").path("vnic_profile").path(0);
        String network =
                get("networks/" + profile.path("network").path("id").asString())
                        .path("name")
                        .asString();
        String profileId = profile.path("id").asString();
        String nic =
                added(
                        vm + "/nics",
                        "<nic><name>nic1</name><vnic_profile id=\"" + profileId + "\"/></nic>");
        assertThat(get(nic).path("interface").asString()).isEqualTo("virtio");
        assertThat(get(nic).path("vnic_profile").path("id").asString()).isEqualTo(profileId);
        assertThat(definition(vm).path("interfaces").path(0).path("network").asString())
                .isEqualTo(network);
        JsonNode changed =
                put(
                        nic,
                        "{\"interface\":\"e1000\",\"linked\":false,\"mac\":{\"address\":\"00:1A:4A:16:01:56\"}}",
                        200);
        assertThat(changed.path("interface").asString()).isEqualTo("e1000");
        assertThat(changed.path("linked").asString()).isEqualTo("false");
        assertThat(changed.path("mac").path("address").asString()).isEqualTo("00:1a:4a:16:01:56");
        assertThat(changed.path("name").asString()).isEqualTo("nic1");
        assertThat(get(nic).toString()).isEqualTo(changed.toString());
        assertThat(xml(vm + "/nics", "<nic><name>nic1</name></nic>").statusCode()).isEqualTo(409);
        JsonNode whole =
                read(
                        json(
                                "vms",
                                "{\"name\":\"wired3\",\"nics\":{\"nic\":[{\"name\":\"nic1\",\"vnic_profile\":{\"id\":\"%s\"}}]}}"
                                        .formatted(profileId)),
                        201);
        String third = "vms/" + whole.path("id").asString();
        assertThat(definition(third).path("interfaces").path(0).path("network").asString())
                .as("as an interface that is added by itself")
                .isEqualTo(network);
        gone(third);
        String other = vm("wired2");
        HttpResponse<String> taken =
                xml(
                        other + "/nics",
                        "<nic><name>nic1</name><mac><address>00:1a:4a:16:01:56</address></mac></nic>");
        assertThat(taken.statusCode()).as(taken.body()).isEqualTo(409);
        assertThat(taken.body()).contains("<fault>").contains("belongs to the VM wired");
        JsonNode unplugged = put(nic, "{\"plugged\":false}", 200);
        assertThat(unplugged.path("plugged").asString()).isEqualTo("false");
        assertThat(definition(vm).path("interfaces").path(0).path("plugged").asBoolean(true))
                .isFalse();
        assertThat(xml(nic + "/activate", "<action/>").statusCode()).isEqualTo(200);
        assertThat(get(nic).path("plugged").asString()).isEqualTo("true");
        gone(nic);
        assertThat(send("GET", nic, "").statusCode()).isEqualTo(404);
        assertThat(send("DELETE", nic, "").statusCode()).isEqualTo(404);
        assertThat(definition(vm).path("interfaces")).isEmpty();
        gone(vm);
        gone(other);
    }

    @Test
    void interfacesThatAreAddedAtOnceAreAllThere() throws Exception {
        String vm = vm("manywired");
        List<Thread> clients = new ArrayList<>();
        Queue<Integer> answers = new ConcurrentLinkedQueue<>();
        for (int n = 0; n < 5; n++) {
            String nic = "<nic><name>nic" + n + "</name></nic>";
            clients.add(
                    Thread.startVirtualThread(
                            () -> answers.add(xml(vm + "/nics", nic).statusCode())));
        }
        for (Thread client : clients) {
            client.join();
        }
        assertThat(answers).hasSize(5).containsOnly(201);
        assertThat(get(vm + "/nics").path("nic").findValuesAsString("name"))
                .contains("nic0", "nic1", "nic2", "nic3", "nic4");
        gone(vm);
    }

    @Test
    void aVmThatRunsHasItsNewInterfaceWithItsNextStart() {
        String vm = vm("rewired");
        String id = vm.substring("vms/".length());
        assertThat(xml(vm + "/start", "<action/>").statusCode()).isEqualTo(200);
        until(id, "up");
        String nic = added(vm + "/nics", "<nic><name>nic1</name></nic>");
        assertThat(get(nic).path("name").asString()).isEqualTo("nic1");
        HttpResponse<String> watchdog =
                xml(
                        vm + "/watchdogs",
                        "<watchdog><action>reset</action><model>i6300esb</model></watchdog>");
        assertThat(watchdog.statusCode()).as(watchdog.body()).isEqualTo(201);
        assertThat(watchdog.body()).contains("<action>reset</action>");
        assertThat(get(vm + "/watchdogs").path("watchdog")).isEmpty();
        assertThat(get(vm + "/watchdogs?next_run=true").path("watchdog")).hasSize(1);
        assertThat(xml(vm + "/stop", "<action/>").statusCode()).isEqualTo(200);
        until(id, "down");
        assertThat(get(vm + "/watchdogs").path("watchdog")).hasSize(1);
        gone(vm);
    }

    @Test
    void disksThatAreThereAreAttached() {
        String vm = vm("attached");
        String other = vm("sharing");
        String image = UUID.randomUUID().toString();
        String domain = get("storagedomains").path("storage_domain").path(0).path("id").asString();
        HttpResponse<String> made =
                xml(
                        vm + "/diskattachments",
                        "<disk_attachment><interface>virtio</interface><bootable>true</bootable><disk>"
                            + "<name>new</name><provisioned_size>1073741824</provisioned_size></disk></disk_attachment>");
        assertThat(made.statusCode()).as(made.body()).isEqualTo(501);
        assertThat(made.body()).contains("<fault><detail>").contains("makes no disks");
        String unknown = "<disk_attachment><disk id=\"" + image + "\"/></disk_attachment>";
        assertThat(xml(vm + "/diskattachments", unknown).statusCode()).isEqualTo(404);
        String disk =
                added(
                        vm + "/diskattachments",
                        """
                        <disk_attachment><interface>virtio_scsi</interface><bootable>true</bootable>
                          <disk id="%s"><image_id>%s</image_id><format>raw</format><shareable>true</shareable>
                          <alias>common</alias><storage_domains><storage_domain id="%s"/></storage_domains></disk>
                        </disk_attachment>
                        """
                                .formatted(image, UUID.randomUUID(), domain));
        assertThat(disk).endsWith(image);
        assertThat(get(disk).path("interface").asString()).isEqualTo("virtio_scsi");
        assertThat(get(disk).path("bootable").asString()).isEqualTo("true");
        assertThat(definition(vm).path("disks").path(0).path("name").asString())
                .isEqualTo("common");
        assertThat(xml(vm + "/diskattachments", unknown).statusCode()).isEqualTo(409);
        // As Go's client sends it.
        String shared =
                added(
                        other + "/diskattachments",
                        "<disk_attachment><disk id=\""
                                + image
                                + "\"/><interface>virtio</interface></disk_attachment>");
        JsonNode changed = put(disk, "{\"bootable\":\"false\",\"interface\":\"sata\"}", 200);
        assertThat(changed.path("interface").asString()).isEqualTo("sata");
        assertThat(get(shared).path("interface").asString()).isEqualTo("virtio");
        assertThat(put(disk, "{\"disk\":{\"provisioned_size\":1}}", 501).path("detail").asString())
                .contains("not the disk itself");
        assertThat(send("DELETE", disk + "?detach_only=false", "").statusCode()).isEqualTo(501);
        gone(disk);
        assertThat(get(vm + "/diskattachments").path("disk_attachment")).isEmpty();
        gone(vm);
        gone(other);
    }

    @Test
    void aVmHasTheCdTheWatchdogAndTheConsolesThatClientsGiveIt() {
        String vm = vm("equipped");
        String drive = vm + "/cdroms/" + new UUID(0, 0);
        JsonNode cd = put(drive, "{\"file\":{\"id\":\"/isos/tools.iso\"}}", 200);
        assertThat(cd.path("file").path("id").asString()).isEqualTo("tools.iso");
        assertThat(definition(vm).path("cdrom").path("imagePath").asString())
                .isEqualTo("/isos/tools.iso");
        assertThat(put(drive + "?current=true", "<cdrom><file id=\"\"/></cdrom>", 409).toString())
                .contains("the VM is down");
        assertThat(put(drive + "?current=true", "<cdrom/>", 400).toString())
                .contains("Cdrom [file] is required");
        assertThat(put(drive, "<cdrom><file id=\"\"/></cdrom>", 200).has("file")).isFalse();
        String watchdog =
                added(
                        vm + "/watchdogs",
                        "<watchdog><action>poweroff</action><model>i6300esb</model></watchdog>");
        assertThat(put(watchdog, "{\"action\":\"pause\"}", 200).path("action").asString())
                .isEqualTo("pause");
        assertThat(
                        xml(
                                        vm + "/watchdogs",
                                        "<watchdog><action>none</action><model>diag288</model></watchdog>")
                                .body())
                .contains("model");
        gone(watchdog);
        assertThat(get(vm + "/watchdogs").path("watchdog")).isEmpty();
        HttpResponse<String> spice =
                xml(
                        vm + "/graphicsconsoles",
                        "<graphics_console><protocol>spice</protocol></graphics_console>");
        assertThat(spice.statusCode()).as(spice.body()).isEqualTo(201);
        assertThat(get(vm + "/graphicsconsoles").path("graphics_console")).hasSize(2);
        assertThat(
                        xml(
                                        vm + "/graphicsconsoles",
                                        "<graphics_console><protocol>spice</protocol></graphics_console>")
                                .statusCode())
                .isEqualTo(409);
        gone(spice.headers().firstValue("Location").orElseThrow().substring(API.length()));
        assertThat(get(vm + "/graphicsconsoles").path("graphics_console")).hasSize(1);
        gone(vm);
    }

    /** Addresses of the interfaces that a VM has on its host. */
    private static List<String> plugged(String vm) {
        JsonNode nics = fleet.machine(vm).findValue("nics");
        return nics == null ? List.of() : nics.findValuesAsString("mac");
    }

    /** Images that it has there. */
    private static List<String> active(String vm) {
        JsonNode disks = fleet.machine(vm).findValue("disks");
        return disks == null ? List.of() : disks.findValuesAsString("imageId");
    }

    @Test
    void theCdOfAVmThatRunsIsExchangedAtOnce() {
        String vm = vm("reading");
        String id = vm.substring("vms/".length());
        String drive = vm + "/cdroms/" + new UUID(0, 0);
        String now = drive + "?current=true";
        JsonNode first = put(drive, "{\"file\":{\"id\":\"/isos/first.iso\"}}", 200);
        assertThat(get(now).has("file")).as("it does not run").isFalse();
        assertThat(xml(vm + "/start", "<action/>").statusCode()).isEqualTo(200);
        until(id, "up");
        assertThat(get(now).path("file").path("id").asString()).isEqualTo("first.iso");
        JsonNode changed = put(now, "{\"file\":{\"id\":\"/isos/second.iso\"}}", 200);
        assertThat(changed.path("file").path("id").asString()).isEqualTo("second.iso");
        assertThat(get(drive).toString()).as("the definition stays").isEqualTo(first.toString());
        assertThat(put(now, changed.toString(), 200).toString()).isEqualTo(changed.toString());
        JsonNode missing = put(now, "{\"file\":{\"id\":\"/isos/missing\"}}", 409);
        assertThat(missing.path("detail").asString()).contains("could not be found");
        assertThat(get(now).toString()).isEqualTo(changed.toString());
        assertThat(put(now, "<cdrom><file id=\"\"/></cdrom>", 200).has("file")).isFalse();
        assertThat(get(drive).toString()).isEqualTo(first.toString());
        assertThat(xml(vm + "/stop", "<action/>").statusCode()).isEqualTo(200);
        until(id, "down");
        assertThat(xml(vm + "/start", "<action/>").statusCode()).isEqualTo(200);
        until(id, "up");
        assertThat(get(now).path("file").path("id").asString())
                .as("a new run has the CD of the definition")
                .isEqualTo("first.iso");
        assertThat(xml(vm + "/stop", "<action/>").statusCode()).isEqualTo(200);
        until(id, "down");
        gone(vm);
    }

    @Test
    void interfacesAndDisksOfAVmThatRunsArePluggedAndUnplugged() {
        String vm = vm("plugging");
        String id = vm.substring("vms/".length());
        String nic = added(vm + "/nics", "<nic><name>nic1</name></nic>");
        String out = added(vm + "/nics", "<nic><name>nic2</name><plugged>false</plugged></nic>");
        String domain = get("storagedomains").path("storage_domain").path(0).path("id").asString();
        String disk =
                added(
                        vm + "/diskattachments",
                        """
                        <disk_attachment><interface>virtio</interface><active>false</active>
                          <disk id="%s"><image_id>%s</image_id><format>raw</format>
                          <alias>data</alias><storage_domains><storage_domain id="%s"/></storage_domains></disk>
                        </disk_attachment>
                        """
                                .formatted(UUID.randomUUID(), UUID.randomUUID(), domain));
        assertThat(get(disk).path("active").asString()).isEqualTo("false");
        assertThat(get(nic).path("actions").findValuesAsString("rel"))
                .containsExactly("activate", "deactivate");
        assertThat(xml(vm + "/start", "<action/>").statusCode()).isEqualTo(200);
        until(id, "up");
        String first = get(nic).path("mac").path("address").asString();
        String second = get(out).path("mac").path("address").asString();
        String image = disk.substring(disk.length() - 36);
        assertThat(plugged(id)).as("it starts without what is unplugged").containsExactly(first);
        assertThat(active(id)).isEmpty();

        assertThat(read(json(out + "/activate", "{}"), 200).path("status").asString())
                .isEqualTo("complete");
        assertThat(get(out).path("plugged").asString()).isEqualTo("true");
        assertThat(plugged(id)).containsExactly(first, second);
        assertThat(xml(nic + "/deactivate", "<action/>").statusCode()).isEqualTo(200);
        assertThat(get(nic).path("plugged").asString()).isEqualTo("false");
        assertThat(plugged(id)).containsExactly(second);
        assertThat(xml(disk + "/activate", "<action/>").statusCode()).isEqualTo(200);
        assertThat(get(disk).path("active").asString()).isEqualTo("true");
        assertThat(active(id)).containsExactly(image);
        JsonNode twice = read(json(disk + "/activate", "{}"), 409);
        assertThat(twice.path("fault").path("detail").asString()).contains("is active already");
        assertThat(put(disk, "{\"active\":\"false\"}", 200).path("active").asString())
                .isEqualTo("false");
        assertThat(active(id)).isEmpty();
        put(nic, "{\"plugged\":true,\"name\":\"nic2\"}", 409);
        put(disk, "{\"active\":true,\"interface\":\"nonsense\"}", 400);
        assertThat(plugged(id)).as("a bad body changes nothing").containsExactly(second);
        assertThat(active(id)).isEmpty();
        assertThat(put(nic, "{\"plugged\":true}", 200).path("plugged").asString())
                .isEqualTo("true");
        assertThat(plugged(id)).containsExactly(second, first);
        assertThat(xml(nic + "/deactivate", "<action/>").statusCode()).isEqualTo(200);
        JsonNode refused = read(json(nic + "/deactivate", "{}"), 409);
        assertThat(refused.path("fault").path("detail").asString())
                .as("its host has no such interface any more")
                .contains("Cannot deactivate Interface");
        assertThat(xml(vm + "/stop", "<action/>").statusCode()).isEqualTo(200);
        until(id, "down");
        assertThat(get(vm).path("next_run_configuration_exists").asString("false"))
                .isEqualTo("false");
        gone(vm);
    }

    /** Clients read an entity, change one element, and write all of it. */
    @Test
    void readEntitiesCanBeWrittenBack() {
        String pool =
                "vmpools/"
                        + read(json("vmpools", "{\"name\":\"round??s\",\"size\":\"1\"}"), 201)
                                .path("id")
                                .asString();
        String vm = vm("written");
        String nic = added(vm + "/nics", "<nic><name>nic1</name></nic>");
        String watchdog =
                added(
                        vm + "/watchdogs",
                        "<watchdog><action>reset</action><model>i6300esb</model></watchdog>");
        String drive = vm + "/cdroms/" + new UUID(0, 0);
        put(drive, "{\"file\":{\"id\":\"/isos/tools.iso\"}}", 200);
        String tag = added("tags", "<tag><name>roundtrip</name></tag>");
        String host = "hosts/" + get("hosts?max=1").path("host").path(0).path("id").asString();
        String cluster =
                get("hosts?max=1").path("host").path(0).path("cluster").path("id").asString();
        String group =
                added(
                        "clusters/" + cluster + "/affinitygroups",
                        "<affinity_group><name>roundtrip</name><description>kept near</description>"
                                + "</affinity_group>");
        for (String each :
                List.of(pool, vm, nic, watchdog, drive, tag, host, "clusters/" + cluster, group)) {
            for (String type : List.of("application/json", "application/xml")) {
                HttpResponse<String> told = send("GET", each, "", "Accept", type);
                HttpResponse<String> written =
                        send("PUT", each, told.body(), "Accept", type, "Content-Type", type);
                assertThat(written.statusCode())
                        .as(each + " " + type + ": " + written.body())
                        .isEqualTo(200);
                assertThat(stable(send("GET", each, "", "Accept", type).body()))
                        .as(each)
                        .isEqualTo(stable(told.body()));
            }
        }
        JsonNode vmOfPool = get(pool).path("vm");
        assertThat(vmOfPool.path("memory").asString()).isNotEmpty();
        JsonNode other = put(pool, "{\"vm\":{\"memory\":\"17\"}}", 400);
        assertThat(other.path("detail").asString()).contains("vm/memory");
        gone(group);
        gone(tag);
        gone(vm);
        assertThat(send("DELETE", pool, "").statusCode()).isEqualTo(200);
        assertThat(send("DELETE", "vms/" + id("name=round01s"), "").statusCode()).isEqualTo(200);
    }

    /** Without numbers of its load, which change by themselves. */
    private static String stable(String body) {
        return body.replaceAll("(\"?)(memory|max_scheduling_memory)\\1[^,<]*", "");
    }

    @Test
    void theFileForAViewerOpensTheConsole() {
        String vm = vm("viewed");
        String id = vm.substring("vms/".length());
        String console = vm + "/graphicsconsoles/766e63";
        assertThat(xml(console + "/remoteviewerconnectionfile", "<action/>").statusCode())
                .isEqualTo(409);
        assertThat(
                        xml(
                                        vm + "/graphicsconsoles",
                                        "<graphics_console><protocol>spice</protocol></graphics_console>")
                                .statusCode())
                .isEqualTo(201);
        assertThat(xml(vm + "/start", "<action/>").statusCode()).isEqualTo(200);
        until(id, "up");
        JsonNode made = read(json(console + "/remoteviewerconnectionfile", "{}"), 200);
        assertThat(made.path("remote_viewer_connection_file").asString())
                .startsWith("[virt-viewer]\ntype=vnc\nhost=")
                .contains("\npassword=");
        JsonNode ticket =
                read(
                        json(
                                console + "/ticket",
                                "{\"ticket\":{\"value\":\"secret12\",\"expiry\":60}}"),
                        200);
        assertThat(ticket.path("ticket").path("value").asString()).isEqualTo("secret12");
        assertThat(ticketed(id)).isEqualTo("vnc");
        read(json(vm + "/graphicsconsoles/7370696365/ticket", "{}"), 200);
        assertThat(ticketed(id)).as("the console of the path").isEqualTo("spice");
        for (String protocol : List.of("vnc", "spice")) {
            HttpResponse<String> named = ticketOf(id, protocol);
            String operation =
                    "/api/v1/operations/"
                            + read(named, 202).path("operation").path("id").asString();
            RunningEngine.await(
                    () -> engine.json(operation).path("state").asString().equals("succeeded"),
                    () -> engine.json(operation).toString());
            assertThat(ticketed(id)).isEqualTo(protocol);
        }
        HttpResponse<String> unknown = ticketOf(id, "rdp");
        assertThat(unknown.statusCode()).as(unknown.body()).isEqualTo(400);
        assertThat(unknown.body()).contains("is not one of spice, vnc");
        HttpResponse<String> file = send("GET", console, "", "Accept", "application/x-virt-viewer");
        assertThat(file.statusCode()).as(file.body()).isEqualTo(200);
        assertThat(file.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/x-virt-viewer");
        assertThat(file.body()).startsWith("[virt-viewer]").contains("\npassword=");
        HttpResponse<String> foreign =
                send(
                        "GET",
                        console,
                        "",
                        "Accept",
                        "application/x-virt-viewer",
                        "Sec-Fetch-Site",
                        "cross-site");
        assertThat(foreign.body()).startsWith("[virt-viewer]").doesNotContain("password");
        assertThat(xml(vm + "/stop", "<action/>").statusCode()).isEqualTo(200);
        until(id, "down");
        gone(vm);
    }

    private static HttpResponse<String> ticketOf(String vm, String protocol) {
        return engine.post(
                "/api/v1/vms/" + vm + "/console-ticket", "{\"protocol\":\"" + protocol + "\"}");
    }

    /** The console of a VM that got the last ticket. */
    private static String ticketed(String vm) {
        for (JsonNode display : fleet.machine(vm).path("graphics")) {
            if (display.path("ticket").asBoolean()) {
                return display.path("type").asString();
            }
        }
        return "";
    }

    /** As oVirt's proxy reads it; a client finds the proxy by an option. */
    @Test
    void aProxyOpensAConsoleByASignedTicket() throws GeneralSecurityException {
        assertThat(
                        get("options/WebSocketProxy")
                                .at("/values/system_option_value/0/value")
                                .asString())
                .isEqualTo("proxy.example:6100");
        String vm = vm("proxied");
        String id = vm.substring("vms/".length());
        String action = vm + "/graphicsconsoles/766e63/proxyticket";
        JsonNode down = read(json(action, "{}"), 400);
        assertThat(down.path("status").asString()).isEqualTo("failed");
        assertThat(down.path("fault").path("detail").asString())
                .contains("Cannot make a proxy ticket: the VM does not run with such a console.");
        assertThat(xml(vm + "/start", "<action/>").statusCode()).isEqualTo(200);
        until(id, "up");
        String spice = vm + "/graphicsconsoles/7370696365";
        assertThat(xml(spice + "/proxyticket", "<action/>").statusCode()).isEqualTo(400);
        assertThat(xml(vm + "/graphicsconsoles/7a7a/proxyticket", "<action/>").statusCode())
                .isEqualTo(404);
        HttpResponse<String> certificate =
                engine.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                engine.address()
                                                        + "/ovirt-engine/services/pki-resource"
                                                        + "?resource=proxy-ticket-certificate"
                                                        + "&format=X509-PEM"))
                                .build());
        ProxyTicketDecoder proxy = new ProxyTicketDecoder(certificate.body());
        String ticket =
                read(json(action, "{\"async\":false}"), 200)
                        .path("proxy_ticket")
                        .path("value")
                        .asString();
        JsonNode console = get(vm + "/graphicsconsoles/766e63");
        JsonNode target =
                RunningEngine.JSON.readTree(
                        URLDecoder.decode(
                                proxy.decode(ticket, engine.bean(EngineClock.class).now()),
                                StandardCharsets.UTF_8));
        assertThat(target.path("host").asString())
                .isNotEmpty()
                .isEqualTo(console.path("address").asString());
        assertThat(target.path("port").isString()).isTrue();
        assertThat(target.path("port").asString()).isEqualTo(console.path("port").asString());
        assertThat(target.path("ssl_target").asBoolean()).as("hosts encrypt VNC").isTrue();
        RunningEngine.await(
                () -> get("events?max=200").toString().contains(action + " was requested by"),
                () -> "an audit event of the ticket");
        assertThat(xml(action, "<action/>").body())
                .containsPattern(
                        "<action>.*<proxy_ticket><value>[A-Za-z0-9+/=]+</value></proxy_ticket>");
        assertThat(xml(vm + "/stop", "<action/>").statusCode()).isEqualTo(200);
        until(id, "down");
        gone(vm);
    }

    @Test
    void aHostIsAddedChangedAndRemoved() {
        // As Ansible sends it; nothing listens there.
        String host =
                added(
                        "hosts",
                        "<host><name>spare</name><address>127.0.0.1</address><port>1</port>"
                                + "<comment>rack 7</comment>"
                                + "<root_password>not-kept</root_password><ssh/></host>");
        assertThat(get(host).path("address").asString()).isEqualTo("127.0.0.1");
        assertThat(get(host).toString()).doesNotContain("not-kept");
        assertThat(get(host).path("comment").asString()).isEqualTo("rack 7");
        assertThat(get("hosts?search=comment%3Drack*").path("host")).hasSize(1);
        assertThat(engine.json("/api/v1/" + host).path("comment").asString()).isEqualTo("rack 7");
        assertThat(
                        xml("hosts", "<host><name>spare</name><address>127.0.0.2</address></host>")
                                .body())
                .contains("already in use");
        assertThat(
                        xml(
                                        "hosts",
                                        "<host><name>twin</name><address>127.0.0.1</address>"
                                                + "<port>1</port></host>")
                                .body())
                .contains("already in use by host spare");
        JsonNode changed =
                put(
                        host,
                        "{\"address\":\"127.0.0.3\",\"power_management\":{\"enabled\":\"true\"}}",
                        200);
        assertThat(changed.path("address").asString()).isEqualTo("127.0.0.3");
        assertThat(changed.path("power_management").path("enabled").asString()).isEqualTo("true");
        assertThat(changed.path("comment").asString()).isEqualTo("rack 7");
        String there = engine.json("/api/v1/hosts").path("items").path(0).path("name").asString();
        JsonNode first = engine.json("/api/v1/hosts").path("items").path(0);
        String place =
                "{\"address\":\"%s\",\"port\":%d}"
                        .formatted(first.path("address").asString(), first.path("port").asInt());
        assertThat(put(host, place, 409).path("detail").asString())
                .contains("already in use by host " + there);
        HttpResponse<String> ofNative = engine.put("/api/v1/" + host, place);
        assertThat(ofNative.statusCode()).as(ofNative.body()).isEqualTo(409);
        assertThat(ofNative.body()).contains("Host " + there + " is at ");
        assertThat(put(host, "{\"comment\":\"rack 8\"}", 200).path("comment").asString())
                .isEqualTo("rack 8");
        assertThat(put(host, "{\"name\":\"other\"}", 409).path("detail").asString())
                .contains("keeps its name");
        String agent =
                added(
                        host + "/fenceagents",
                        "<agent><address>192.0.2.8</address><type>ipmilan</type><order>1</order>"
                            + "<username>root</username><password>verysecret</password>"
                            + "<options><option><name>lanplus</name><value>1</value></option></options></agent>");
        String second =
                added(
                        host + "/fenceagents",
                        "<agent><address>192.0.2.9</address><type>apc_snmp</type>"
                            + "<username>root</username><password>verysecret</password>"
                            + "<options><option><name>community</name><value>verysecret</value></option></options></agent>");
        JsonNode stored = agents(host);
        assertThat(stored.path(0).path("hasPassword").asBoolean()).isTrue();
        assertThat(stored.path(0).path("options").path("lanplus").asString()).isEqualTo("1");
        assertThat(put(agent, "{\"username\":\"admin\"}", 200).path("username").asString())
                .isEqualTo("admin");
        assertThat(agents(host).path(0).path("hasPassword").asBoolean()).isTrue();
        JsonNode option = get(agent).path("options").path("option").path(0);
        assertThat(option.path("name").asString()).isEqualTo("lanplus");
        assertThat(option.path("value").asString()).isEqualTo("1");
        JsonNode told =
                put(
                        second,
                        "{\"options\":{\"option\":[{\"name\":\"snmp_version\",\"value\":\"2c\"}]}}",
                        200);
        assertThat(told.path("options").path("option").findValuesAsString("name"))
                .containsExactly("snmp_version");
        assertThat(agents(host).path(1).path("secretOptions").toString())
                .as("what is not told stays")
                .contains("community");
        gone(agent);
        assertThat(get(second).path("address").asString()).isEqualTo("192.0.2.9");
        assertThat(get(second).toString()).doesNotContain("verysecret");
        gone(second);
        String id = host.substring("hosts/".length());
        RunningEngine.await(
                () ->
                        hostStatus(id).equals("maintenance")
                                || xml(host + "/deactivate", "<action/>").statusCode() == 200,
                () -> hostStatus(id));
        RunningEngine.await(() -> hostStatus(id).equals("maintenance"), () -> hostStatus(id));
        gone(host);
        assertThat(send("GET", host, "").statusCode()).isEqualTo(404);
    }

    private static String hostStatus(String host) {
        return get("hosts/" + host).path("status").asString();
    }

    private static JsonNode agents(String host) {
        return engine.json("/api/v1/" + host + "/fence-agents").path("items");
    }

    @Test
    void aClusterIsAddedChangedAndRemovedWithItsAffinityGroups() {
        String dataCentre = get("datacenters").path("data_center").path(0).path("id").asString();
        String cluster =
                added(
                        "clusters",
                        "<cluster><name>annex</name><data_center id=\""
                                + dataCentre
                                + "\"/><description>first floor</description>"
                                + "<error_handling><on_error>do_not_migrate</on_error></error_handling></cluster>");
        assertThat(get(cluster).path("error_handling").path("on_error").asString())
                .isEqualTo("do_not_migrate");
        assertThat(xml("clusters", "<cluster><name>none</name></cluster>").body())
                .contains("Cluster [dataCenter.name|id] is required for add.");
        JsonNode told = get(cluster);
        assertThat(put(cluster, told.toString(), 200).toString()).isEqualTo(told.toString());
        JsonNode changed =
                put(
                        cluster,
                        "{\"version\":{\"major\":4,\"minor\":8},\"fencing_policy\":{\"enabled\":false}}",
                        200);
        assertThat(changed.path("version").path("minor").asString()).isEqualTo("8");
        assertThat(changed.path("fencing_policy").path("enabled").asString()).isEqualTo("false");
        assertThat(put(cluster, "{\"gluster_service\":true}", 400).path("detail").asString())
                .contains("gluster_service");
        String id = cluster.substring("clusters/".length());
        String vm =
                "vms/"
                        + read(
                                        json(
                                                "vms",
                                                "{\"name\":\"bound\",\"cluster\":{\"id\":\""
                                                        + id
                                                        + "\"}}"),
                                        201)
                                .path("id")
                                .asString();
        // As Go's client sends it.
        String group =
                added(
                        cluster + "/affinitygroups",
                        "<affinity_group><name>together</name><description>a pair</description>"
                                + "<enforcing>true</enforcing>"
                                + "<vms_rule><enabled>true</enabled><enforcing>true</enforcing>"
                                + "<positive>true</positive></vms_rule></affinity_group>");
        assertThat(get(group).path("vms_rule").path("enabled").asString()).isEqualTo("true");
        assertThat(get(group).path("hosts_rule").path("enabled").asString()).isEqualTo("false");
        assertThat(get(group).path("priority").asString()).isEqualTo("1");
        assertThat(get(group).path("description").asString()).isEqualTo("a pair");
        HttpResponse<String> member =
                xml(group + "/vms", "<vm id=\"" + vm.substring("vms/".length()) + "\"/>");
        assertThat(member.statusCode()).as(member.body()).isEqualTo(200);
        assertThat(member.body()).startsWith("<?xml").contains("<vm ");
        assertThat(get(group + "/vms").path("vm").path(0).path("name").asString())
                .isEqualTo("bound");
        assertThat(put(group, "{\"positive\":false}", 200).path("positive").asString())
                .isEqualTo("false");
        assertThat(get(group).path("vms").path("vm")).hasSize(1);
        JsonNode described = put(group, "{\"description\":\"a couple\"}", 200);
        assertThat(described.path("description").asString()).isEqualTo("a couple");
        assertThat(described.path("vms").path("vm")).hasSize(1);
        assertThat(xml(group + "/hosts", "<host id=\"" + NOBODY + "\"/>").statusCode())
                .isEqualTo(501);
        gone(group + "/" + vm);
        assertThat(get(group + "/vms").path("vm")).isEmpty();
        gone(group);
        assertThat(send("DELETE", cluster, "").body()).contains("1 VMs belong to it");
        gone(vm);
        gone(cluster);
        assertThat(send("GET", cluster, "").statusCode()).isEqualTo(404);
    }

    @Test
    void theTagOfAnAnswerChangesWithTheAffinityGroupsInIt() {
        String cluster =
                "clusters/" + get("clusters?max=1").path("cluster").path(0).path("id").asString();
        String group =
                added(
                        cluster + "/affinitygroups",
                        "<affinity_group><name>tagged</name></affinity_group>");
        for (String name : List.of("renamed", "named-again", "last-name")) {
            String tag =
                    send("GET", group, "", "Accept", "application/json")
                            .headers()
                            .firstValue("ETag")
                            .orElseThrow();
            assertThat(put(group, "{\"name\":\"" + name + "\"}", 200).path("name").asString())
                    .isEqualTo(name);
            HttpResponse<String> after =
                    send("GET", group, "", "Accept", "application/json", "If-None-Match", tag);
            assertThat(after.statusCode()).as("after a change").isEqualTo(200);
            assertThat(after.body()).contains(name);
        }
        gone(group);
    }

    @Test
    void theSettingLimitsTheVmsOfAGroup() {
        List<String> vms = List.of(vm("grouped1"), vm("grouped2"), vm("grouped3"));
        List<String> ids = vms.stream().map(vm -> vm.substring("vms/".length())).toList();
        String cluster = get(vms.getFirst()).path("cluster").path("id").asString();
        String member = "<vm id=\"%s\"/>";
        String two = member.formatted(ids.get(0)) + member.formatted(ids.get(1));
        String group =
                added(
                        "clusters/" + cluster + "/affinitygroups",
                        "<affinity_group><name>few</name><vms>" + two + "</vms></affinity_group>");
        HttpResponse<String> third = xml(group + "/vms", member.formatted(ids.get(2)));
        assertThat(third.statusCode()).as(third.body()).isEqualTo(409);
        assertThat(third.body()).contains("a group has at most 2 VMs");
        JsonNode many =
                put(
                        group,
                        "{\"vms\":{\"vm\":[{\"id\":\"%s\"},{\"id\":\"%s\"},{\"id\":\"%s\"}]}}"
                                .formatted(ids.get(0), ids.get(1), ids.get(2)),
                        400);
        assertThat(many.path("detail").asString()).contains("at most 2 VMs");
        HttpResponse<String> ofNative =
                engine.post(
                        "/api/v1/affinity-groups",
                        "{\"name\":\"many\",\"cluster\":\"%s\",\"vms\":[\"%s\",\"%s\",\"%s\"]}"
                                .formatted(cluster, ids.get(0), ids.get(1), ids.get(2)));
        assertThat(ofNative.statusCode()).as(ofNative.body()).isEqualTo(400);
        assertThat(ofNative.body()).contains("vms names at most 2 VMs");
        gone(group);
        vms.forEach(OvirtActionsIT::gone);
    }

    @Test
    void tagsStandOnVmsAndHostsAndFindThem() {
        String vm = id("status=up");
        String host = get("hosts").path("host").path(0).path("id").asString();
        String top = added("tags", "<tag><name>site</name><description>where</description></tag>");
        String below =
                added("tags", "<tag><name>cellar</name><parent><name>site</name></parent></tag>");
        assertThat(get(below).path("parent").path("id").asString())
                .isEqualTo(top.substring("tags/".length()));
        assertThat(get(top).path("parent").path("id").asString())
                .isEqualTo("00000000-0000-0000-0000-000000000000");
        assertThat(xml("tags", "<tag><name>site</name></tag>").statusCode()).isEqualTo(409);
        assertThat(put(top, "{\"parent\":{\"name\":\"cellar\"}}", 409).path("detail").asString())
                .contains("parent of itself");
        String assigned = added("vms/" + vm + "/tags", "<tag><name>cellar</name></tag>");
        assertThat(assigned).isEqualTo("vms/" + vm + "/tags/" + below.substring("tags/".length()));
        assertThat(get(assigned).path("vm").path("id").asString()).isEqualTo(vm);
        String ofHost = added("hosts/" + host + "/tags", "<tag><name>site</name></tag>");
        assertThat(get("vms?search=tag%3Dsite").path("vm")).hasSize(1);
        assertThat(get("hosts?search=tag%3Dsite").path("host")).hasSize(1);
        assertThat(get("hosts?search=tag%3Dcellar").path("host")).isEmpty();
        assertThat(put(below, "{\"name\":\"attic\"}", 200).path("name").asString())
                .isEqualTo("attic");
        assertThat(get("vms?search=tag%3Dattic").path("vm")).hasSize(1);
        gone(ofHost);
        assertThat(send("DELETE", ofHost, "").statusCode()).isEqualTo(404);
        gone(top);
        assertThat(send("GET", below, "").statusCode()).isEqualTo(404);
        assertThat(get("vms/" + vm + "/tags").path("tag")).isEmpty();
        assertThat(get("vms?search=tag%3Dsite").path("vm")).isEmpty();
    }

    @Test
    void tagsOfBothInterfacesAreTheSame() throws Exception {
        String vm = id("status=up");
        String path = "/api/v1/vms/" + vm;
        String list = "/api/v1/vms?fields=id,tags";
        String blue = added("tags", "<tag><name>Blue</name></tag>");
        try (RunningEngine.Stream stream =
                engine.stream("?entity=vm&vm=" + vm + "&snapshot=columns&fields=name,tags")) {
            long before = stream.next("snapshot-end").json().path("revision").asLong();
            assertThat(engine.json(list + "&tag=blue").path("items")).isEmpty();
            added("vms/" + vm + "/tags", "<tag><name>Blue</name></tag>");
            JsonNode delta = stream.next("delta").json();
            assertThat(delta.path("change").asString()).isEqualTo("changed");
            assertThat(texts(delta.path("changed"))).containsExactly("tags");
            assertThat(texts(delta.path("vm").path("tags"))).containsExactly("Blue");
            assertThat(texts(engine.json(path).path("tags"))).containsExactly("Blue");
            assertThat(engine.json(list + "&tag=blue").path("items").findValuesAsString("id"))
                    .containsExactly(vm);
            JsonNode changes = engine.json(list + "&tag=bl*&since=" + before);
            assertThat(changes.path("items").findValuesAsString("id")).containsExactly(vm);
            assertThat(
                            engine.json(list + "&limit=100&withoutTag=Blue")
                                    .path("items")
                                    .findValuesAsString("id"))
                    .isNotEmpty()
                    .doesNotContain(vm);

            HttpResponse<String> given = engine.put(path + "/tags/night%20shift", "");
            assertThat(given.statusCode()).as(given.body()).isEqualTo(200);
            assertThat(texts(RunningEngine.JSON.readTree(given.body()).path("tags")))
                    .containsExactly("Blue", "night shift");
            assertThat(get("vms/" + vm + "/tags").path("tag").findValuesAsString("name"))
                    .containsExactly("Blue", "night shift");
            assertThat(texts(stream.next("delta").json().path("vm").path("tags"))).hasSize(2);
            long between = changes.path("revision").asLong();
            assertThat(engine.delete(path + "/tags/BLUE").statusCode()).isEqualTo(200);
            assertThat(engine.delete(path + "/tags/Blue").statusCode()).isEqualTo(404);
            assertThat(get("vms?search=tag%3DBlue").path("vm")).isEmpty();
            assertThat(texts(stream.next("delta").json().path("vm").path("tags")))
                    .containsExactly("night shift");
            assertThat(texts(engine.json(list + "&tag=blue&since=" + between).path("removed")))
                    .containsExactly(vm);
            assertThat(engine.get(list + "&tag=nothing").statusCode()).isEqualTo(404);
        }
        String host = get("hosts").path("host").path(0).path("id").asString();
        long before = engine.json("/api/v1/hosts?limit=1").path("revision").asLong();
        assertThat(engine.put("/api/v1/hosts/" + host + "/tags/Blue", "").statusCode())
                .isEqualTo(200);
        String changed = "/api/v1/hosts?fields=id,tags&tag=blue&since=" + before;
        RunningEngine.await(
                () -> engine.json(changed).path("items").size() == 1,
                () -> "" + engine.json(changed));
        assertThat(texts(engine.json("/api/v1/hosts/" + host).path("tags")))
                .containsExactly("Blue");
        assertThat(engine.json("/api/v1/hosts?tag=Blue").path("items")).hasSize(1);
        assertThat(get("hosts?search=tag%3DBlue").path("host")).hasSize(1);
        assertThat(
                        engine.json("/api/v1/tags")
                                .path("items")
                                .valueStream()
                                .filter(tag -> tag.path("name").asString().equals("Blue"))
                                .map(tag -> tag.path("hosts").asInt()))
                .containsExactly(1);
        gone(blue);
        assertThat(texts(engine.json("/api/v1/hosts/" + host).path("tags"))).isEmpty();
        assertThat(engine.delete(path + "/tags/night%20shift").statusCode()).isEqualTo(200);
        String audited = "PUT " + path + "/tags/night";
        RunningEngine.await(
                () ->
                        engine
                                .json("/api/v1/events?event=CHANGE_ASKED&limit=1000")
                                .path("items")
                                .findValuesAsString("text")
                                .stream()
                                .anyMatch(text -> text.contains(audited)),
                () -> "no event of " + audited);
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(text -> texts.add(text.asString()));
        return texts;
    }

    @Test
    void anActionWithAnUnreadableBodyFailsAsAnAction() {
        String vm = id("status=up");
        for (String body : List.of("<action", "{\"async\":", "nonsense", "<a>&x;</a>")) {
            HttpResponse<String> answer = xml("vms/" + vm + "/cancelmigration", body);
            assertThat(answer.statusCode()).as(body).isEqualTo(400);
            assertThat(answer.body())
                    .as(body)
                    .contains(
                            "<action><fault><detail>", "</fault><status>failed</status></action>");
        }
        HttpResponse<String> added = xml("vms", "<vm");
        assertThat(added.statusCode()).isEqualTo(400);
        assertThat(added.body()).contains("<fault>").doesNotContain("<action>");
    }

    @Test
    void actionsAreOnlyPosted() {
        String vm = id("status=up");
        for (String method : List.of("GET", "PUT", "DELETE")) {
            HttpResponse<String> answer = send(method, "vms/" + vm + "/start", "");
            assertThat(answer.statusCode()).as(method).isEqualTo(405);
            assertThat(answer.body()).contains("<fault><detail>");
            assertThat(answer.headers().firstValue("Allow")).contains("POST");
        }
        assertThat(send("GET", "vms/" + vm + "/fly", "").statusCode()).isEqualTo(404);
    }

    @Test
    void aWrongMethodGetsTheAllowedOnes() {
        String vm = id("status=up");
        Map<String, String> allowed =
                Map.of(
                        "PUT vms",
                        "GET, HEAD, POST",
                        "POST vms/" + vm,
                        "GET, HEAD, PUT, DELETE",
                        "DELETE clusters",
                        "GET, HEAD, POST",
                        "PUT vms/" + vm + "/nics",
                        "GET, HEAD, POST",
                        "DELETE domains",
                        "GET, HEAD",
                        "PUT events",
                        "GET, HEAD, POST");
        allowed.forEach((asked, methods) -> {
            String[] words = asked.split(" ", -1);
            HttpResponse<String> answer = send(words[0], words[1], "");
            assertThat(answer.statusCode()).as(asked).isEqualTo(405);
            assertThat(answer.headers().firstValue("Allow")).as(asked).contains(methods);
        });
    }

    @Test
    void anEventOfAnotherProgramIsListed() {
        JsonNode event =
                read(
                        json(
                                "events",
                                "{\"origin\":\"caretaker\",\"severity\":\"warning\",\"custom_id\":\"7\",\"description\":\"the"
                                    + " roof leaks\"}"),
                        201);
        assertThat(event.path("code").asString()).isEqualTo("9802");
        assertThat(event.path("description").asString()).isEqualTo("the roof leaks");
        assertThat(event.path("origin").asString()).isEqualTo("caretaker");
        assertThat(event.path("custom_id").asString()).isEqualTo("7");
    }

    @Test
    void anEventOfAnotherProgramNamesItsObject() {
        Map<String, String> subjects =
                Map.of(
                        "cluster", "clusters",
                        "data_center", "datacenters",
                        "storage_domain", "storagedomains",
                        "template", "templates",
                        "user", "users");
        Map<String, String> ids = new HashMap<>();
        StringBuilder about = new StringBuilder();
        subjects.forEach((element, collection) -> {
            String id = get(collection).path(element).path(0).path("id").asString();
            assertThat(id).as(collection).isNotEmpty();
            ids.put(element, id);
            about.append("<%s id=\"%s\"/>".formatted(element, id));
        });
        String rest =
                "<origin>caretaker</origin><severity>error</severity><custom_id>9</custom_id>"
                        + "<correlation_id>roof-9</correlation_id>"
                        + "<description>the roof is gone</description>";
        HttpResponse<String> answer =
                send(
                        "POST",
                        "events",
                        "<event>" + rest + about + "</event>",
                        "Content-Type",
                        "application/xml",
                        "Accept",
                        "application/json");
        JsonNode event = read(answer, 201);
        ids.forEach((element, id) -> {
            assertThat(event.path(element).path("id").asString()).as(element).isEqualTo(id);
            assertThat(event.path(element).path("href").asString())
                    .as(element)
                    .endsWith("/" + subjects.get(element) + "/" + id);
        });
        assertThat(event.path("correlation_id").asString()).isEqualTo("roof-9");
        HttpResponse<String> nowhere =
                xml(
                        "events",
                        "<event>" + rest + "<cluster id=\"" + UUID.randomUUID() + "\"/></event>");
        assertThat(nowhere.statusCode()).isEqualTo(404);
        assertThat(nowhere.body()).contains("<fault>");
    }

    @Test
    void aDismissedEventIsHiddenUntilAllAreRestored() {
        JsonNode event =
                read(
                        json(
                                "events",
                                "{\"origin\":\"caretaker\",\"severity\":\"normal\",\"custom_id\":\"8\",\"description\":\"the"
                                    + " roof is dry\"}"),
                        201);
        String path = "events/" + event.path("id").asString();
        HttpResponse<String> gone = send("DELETE", path, "", "Accept", "application/json");
        assertThat(read(gone, 200).path("status").asString()).isEqualTo("complete");
        assertThat(send("GET", path, "").statusCode()).isEqualTo(404);
        assertThat(send("DELETE", path, "").statusCode()).isEqualTo(404);
        assertThat(get("events").toString())
                .doesNotContain("the roof is dry")
                .contains("Event " + event.path("id").asString() + " was dismissed");
        assertThat(engine.get("/api/v1/events").body()).contains("the roof is dry");
        HttpResponse<String> all = xml("events/undelete", "<action/>");
        assertThat(all.statusCode()).isEqualTo(200);
        assertThat(all.body()).contains("<action><status>complete</status></action>");
        assertThat(get(path).path("description").asString()).isEqualTo("the roof is dry");
    }

    @Test
    void addingOrChangingAVmReturnsTheStoredVm() {
        JsonNode vm =
                read(
                        json(
                                "vms",
                                """
                                {"name":"answered","description":"first","memory":1073741824,
                                 "memory_policy":{"max":4294967296},
                                 "os":{"type":"rhel_9x64","boot":{"devices":{"device":["network"]}}},
                                 "type":"desktop","cpu_shares":512,"delete_protected":true,
                                 "stateless":false,"placement_policy":{"affinity":"migratable"}}
                                """),
                        201);
        String path = "vms/" + vm.path("id").asString();
        assertThat(vm.path("description").asString()).isEqualTo("first");
        assertThat(vm.path("memory_policy").path("max").asString()).isEqualTo("4294967296");
        assertThat(vm.path("os").path("type").asString()).isEqualTo("rhel_9x64");
        assertThat(vm.path("os").path("boot").path("devices").path("device").path(0).asString())
                .isEqualTo("network");
        assertThat(vm.path("type").asString()).isEqualTo("desktop");
        assertThat(vm.path("cpu_shares").asString()).isEqualTo("512");
        assertThat(vm.path("delete_protected").asString()).isEqualTo("true");
        assertThat(vm.path("creation_time").asLong())
                .isGreaterThan(get("").path("time").asLong() - 600_000);
        assertThat(get(path).toString()).isEqualTo(vm.toString());
        assertThat(id("os=rhel_9x64 and type=desktop")).isEqualTo(vm.path("id").asString());
        for (int round = 0; round < 10; round++) {
            JsonNode changed =
                    read(
                            send(
                                    "PUT",
                                    path,
                                    "{\"description\":\"round " + round + "\"}",
                                    "Content-Type",
                                    "application/json",
                                    "Accept",
                                    "application/json"),
                            200);
            assertThat(changed.path("description").asString()).isEqualTo("round " + round);
            assertThat(get(path).path("description").asString()).isEqualTo("round " + round);
        }

        HttpResponse<String> kept = send("DELETE", path, "");
        assertThat(kept.statusCode()).as(kept.body()).isEqualTo(409);
        assertThat(kept.body()).contains("protected from being removed");
        assertThat(get(path).path("name").asString()).isEqualTo("answered");
        assertThat(send("PUT", path, "<vm><delete_protected>false</delete_protected></vm>"))
                .satisfies(
                        answer -> assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200));
        assertThat(send("DELETE", path, "").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <stateless>true</stateless>                                                    | stateless
                    <start_paused>true</start_paused>                                              | give pause
                    <placement_policy><affinity>pinned</affinity></placement_policy>               | affinity groups
                    <custom_compatibility_version><major>4</major></custom_compatibility_version> | version of its cluster
                    <cpu_shares>1</cpu_shares>                                                     | 2 to 10000
                    <os><type>two words</type></os>                                                | guest's system
                    """)
    void unsupportedElementsAreRefusedInsteadOfDropped(String member, String why) {
        HttpResponse<String> refused = xml("vms", "<vm><name>forgotten</name>" + member + "</vm>");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
        assertThat(refused.body()).contains("<fault>").contains(why);
        assertThat(get("vms?search=name=forgotten").path("vm")).isEmpty();
    }

    @Test
    void hardwareOfAVmIsStoredAndReturned() {
        String domain = get("storagedomains").path("storage_domain").path(0).path("id").asString();
        HttpResponse<String> nowhere =
                json(
                        "vms",
                        "{\"name\":\"nowhere\",\"lease\":{\"storage_domain\":{\"id\":\"%s\"}}}"
                                .formatted("10000000-0000-4000-8000-00000000dead"));
        assertThat(nowhere.statusCode()).as(nowhere.body()).isEqualTo(404);
        JsonNode vm =
                read(
                        json(
                                "vms?all_content=true",
                                """
                                {"name":"hardware","bios":{"type":"q35_ovmf"},
                                 "high_availability":{"enabled":true},
                                 "lease":{"storage_domain":{"id":"%s"}},
                                 "cpu":{"mode":"host_passthrough","topology":{"sockets":2},
                                  "cpu_tune":{"vcpu_pins":{"vcpu_pin":[{"vcpu":1,"cpu_set":"0-1"}]}}},
                                 "cpu_pinning_policy":"manual","console":{"enabled":true},
                                 "tpm_enabled":true,"rng_device":{"source":"urandom"},
                                 "storage_error_resume_behaviour":"leave_paused",
                                 "custom_emulated_machine":"pc-q35-rhel9.2.0",
                                 "usb":{"enabled":false},"soundcard_enabled":false,
                                 "io":{"threads":1},"serial_number":{"policy":"host"},
                                 "multi_queues_enabled":false,"virtio_scsi":{"enabled":true},
                                 "auto_pinning_policy":"disabled","display":{"type":"vnc"}}
                                """
                                        .formatted(domain)),
                        201);
        String path = "vms/" + vm.path("id").asString();
        JsonNode told = get(path + "?all_content=true");
        assertThat(told.path("lease").path("storage_domain").path("id").asString())
                .isEqualTo(domain);
        assertThat(told.path("cpu").path("mode").asString()).isEqualTo("host_passthrough");
        assertThat(told.path("cpu").path("cpu_tune").toString())
                .isEqualTo("{\"vcpu_pins\":{\"vcpu_pin\":[{\"cpu_set\":\"0-1\",\"vcpu\":\"1\"}]}}");
        assertThat(told.path("console").path("enabled").asString()).isEqualTo("true");
        assertThat(told.path("tpm_enabled").asString()).isEqualTo("true");
        assertThat(told.path("rng_device").path("source").asString()).isEqualTo("urandom");
        assertThat(told.path("storage_error_resume_behaviour").asString())
                .isEqualTo("leave_paused");
        assertThat(told.path("custom_emulated_machine").asString()).isEqualTo("pc-q35-rhel9.2.0");
        HttpResponse<String> back =
                send("PUT", path, told.toString(), "Content-Type", "application/json");
        assertThat(back.statusCode()).as(back.body()).isEqualTo(200);
        assertThat(get(path + "?all_content=true").toString()).isEqualTo(told.toString());
        for (String other :
                List.of(
                        "<quota id='x'/>",
                        "<instance_type><name>Large</name></instance_type>",
                        "<usb><enabled>true</enabled></usb>",
                        "<placement_policy><hosts><host><name>x</name></host></hosts></placement_policy>",
                        "<migration><auto_converge>true</auto_converge></migration>")) {
            HttpResponse<String> refused =
                    send("PUT", path, "<vm>" + other + "</vm>", "Content-Type", "application/xml");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
            String element =
                    other.substring(1, other.indexOf(other.startsWith("<quota") ? ' ' : '>'));
            assertThat(refused.body()).contains("<fault>").contains(element + "/");
        }
        assertThat(send("DELETE", path, "").statusCode()).isEqualTo(200);
    }

    @Test
    void aVmMayRunOtherwiseForOnce() {
        JsonNode vm = read(json("vms", "{\"name\":\"once\"}"), 201);
        String path = "vms/" + vm.path("id").asString();
        String id = vm.path("id").asString();
        for (String other :
                List.of(
                        "<memory>2147483648</memory>",
                        "<cpu><topology><cores>4</cores></topology></cpu>",
                        "<initialization><user_name>root</user_name></initialization>",
                        "<os><kernel>/boot/vmlinuz</kernel></os>")) {
            HttpResponse<String> refused =
                    xml(path + "/start", "<action><vm>" + other + "</vm></action>");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
            assertThat(refused.body()).contains("Cannot run VM");
        }
        HttpResponse<String> started =
                xml(
                        path + "/start",
                        "<action><vm><display><type>spice</type></display></vm></action>");
        assertThat(started.statusCode()).as(started.body()).isEqualTo(200);
        until(id, "up");
        assertThat(get(path).path("run_once").asString()).isEqualTo("true");
        assertThat(screen(path)).isEqualTo("spice");
        assertThat(xml(path + "/stop", "<action/>").statusCode()).isEqualTo(200);
        until(id, "down");
        assertThat(get(path).path("run_once").asString()).isEqualTo("false");
        assertThat(xml(path + "/start", "<action/>").statusCode()).isEqualTo(200);
        until(id, "up");
        assertThat(get(path).path("run_once").asString()).isEqualTo("false");
        assertThat(screen(path)).isEqualTo("vnc");
        assertThat(xml(path + "/stop", "<action/>").statusCode()).isEqualTo(200);
        until(id, "down");
        assertThat(send("DELETE", path, "").statusCode()).isEqualTo(200);
    }

    private static String screen(String path) {
        return get(path).path("display").path("type").asString();
    }

    @Test
    void commentsOfAVmAreStored() {
        JsonNode vm =
                read(
                        json(
                                "vms",
                                "{\"name\":\"told\",\"description\":\"for the"
                                        + " roof\",\"comment\":\"to go\"}"),
                        201);
        String path = "vms/" + vm.path("id").asString();
        RunningEngine.await(
                () -> get(path).path("description").asString().equals("for the roof"),
                () -> get(path).toString());
        assertThat(get(path).path("comment").asString()).isEqualTo("to go");
        RunningEngine.await(
                () -> id("description=for*").equals(vm.path("id").asString()),
                () -> "not found by its description");
        HttpResponse<String> changed =
                send(
                        "PUT",
                        path,
                        "<vm><comment></comment></vm>",
                        "Content-Type",
                        "application/xml");
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        RunningEngine.await(
                () -> get(path).path("comment").asString("?").isEmpty(),
                () -> get(path).toString());
        assertThat(get(path).path("description").asString()).isEqualTo("for the roof");
        assertThat(
                        json("vms", "{\"name\":\"zoned\",\"time_zone\":{\"name\":\"Mars\"}}")
                                .statusCode())
                .isEqualTo(400);
        assertThat(send("DELETE", path, "").statusCode()).isEqualTo(200);
    }

    /** Answers to one request, as lines; the connection ends with it. */
    private static List<String> lines(String request) throws IOException {
        URI address = URI.create(engine.address());
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    private static String request(String line, String... headers) {
        StringBuilder text = new StringBuilder(line).append(" HTTP/1.1\r\n");
        text.append("Host: localhost\r\nConnection: close\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        return text.append("\r\n").toString();
    }

    @Test
    void statusLinesHaveReasons() throws IOException {
        String up = id("status=up");
        assertThat(lines(request("GET " + API))).startsWith("HTTP/1.1 200 OK");
        assertThat(lines(request("POST " + API + "vms/" + up + "/start", "Content-Length: 0")))
                .startsWith("HTTP/1.1 409 Conflict");
        assertThat(lines(request("GET " + API + "vms/" + NOBODY)))
                .startsWith("HTTP/1.1 404 Not Found");
        assertThat(lines(request("DELETE " + API + "vms")))
                .startsWith("HTTP/1.1 405 Method Not Allowed");
        assertThat(lines(request("GET /metrics/vms?shard=x")))
                .startsWith("HTTP/1.1 400 Bad Request");
        assertThat(lines(request("GET " + API + "vms/%"))).startsWith("HTTP/1.1 400 Bad Request");
        assertThat(lines("nonsense\r\n\r\n")).first().asString().matches("HTTP/1.1 400 .+");
        List<String> chunked = lines(request("GET " + API + "vms", "Accept: application/json"));
        assertThat(chunked).startsWith("HTTP/1.1 200 OK");
        assertThat(
                        lines(
                                request(
                                        "GET " + API + "vms",
                                        "If-None-Match: " + header(chunked, "ETag"))))
                .startsWith("HTTP/1.1 200 OK");
    }

    @Test
    void anAddressThatIsTooLongIsRefusedAsTheInterfaceRefuses() throws IOException {
        String terms = "name%3Da%20or%20";
        String unread = API + "vms?search=" + terms.repeat(1_500);
        List<String> fault = lines(request("GET " + unread));
        assertThat(fault).startsWith("HTTP/1.1 400 Bad Request");
        assertThat(header(fault, "Content-Type")).startsWith("application/xml");
        assertThat(fault.getLast()).contains("<fault><detail>").endsWith("</fault>");
        List<String> again = lines("\r\n" + request("GET  " + unread));
        assertThat(again.getLast()).endsWith("</fault>");
        List<String> login = lines(request("POST /ovirt-engine/sso/oauth/token?a=" + unread));
        assertThat(header(login, "Content-Type")).startsWith("application/json");
        assertThat(login.getLast()).contains("\"error_code\":\"invalid_request\"");
        List<String> problem = lines(request("GET /api/v1/vms?search=" + terms.repeat(1_500)));
        assertThat(problem).startsWith("HTTP/1.1 400 Bad Request");
        assertThat(header(problem, "Content-Type")).startsWith("application/problem+json");

        String read = "vms?search=" + terms.repeat(600);
        HttpResponse<String> xml = send("GET", read, "");
        assertThat(xml.statusCode()).isEqualTo(414);
        assertThat(xml.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/xml");
        assertThat(xml.body()).contains("<fault><detail>A query may have at most 8192 characters.");
        HttpResponse<String> json = send("GET", read, "", "Accept", "application/json");
        assertThat(read(json, 414).path("detail").asString()).startsWith("A query may have");
    }

    private static String header(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name + ": "))
                .map(line -> line.substring(name.length() + 2))
                .findFirst()
                .orElse("");
    }

    @Test
    void expectationsOfClientsAreMet() throws IOException {
        String vm = id("name=defined2");
        String start = "POST " + API + "vms/" + vm + "/start";
        List<String> early = lines(request(start, "Content-Length: 0", "Expect: 202-accepted"));
        assertThat(early).startsWith("HTTP/1.1 202 Accepted");
        until(vm, "up");
        List<String> done =
                lines(
                        request(
                                        "POST " + API + "vms/" + vm + "/stop",
                                        "Content-Length: 9",
                                        "Expect: 201-created")
                                + "<action/>");
        assertThat(done).startsWith("HTTP/1.1 200 OK");
        assertThat(status(vm)).isEqualTo("down");
        assertThat(lines(request(start, "Content-Length: 9", "Expect: 100-continue") + "<action/>"))
                .startsWith("HTTP/1.1 100 ")
                .contains("HTTP/1.1 200 OK");
        until(vm, "up");
        assertThat(lines(request("GET " + API, "Expect: nonsense")))
                .startsWith("HTTP/1.1 417 Expectation Failed")
                .anySatisfy(line -> assertThat(line).contains("<fault>"));
        assertThat(send("POST", "vms/" + vm + "/stop", "").statusCode()).isEqualTo(200);
        until(vm, "down");
    }

    @Test
    void anExpectationThatIsNotMetElsewhereIsAProblemAndTheConnectionIsKept() throws IOException {
        String refused =
                "GET /api/v1/summary HTTP/1.1\r\nHost: localhost\r\nExpect: nonsense\r\n\r\n";
        assertThat(lines(refused + request("GET /api/v1/summary")))
                .startsWith("HTTP/1.1 417 Expectation Failed")
                .contains("Content-Type: application/problem+json")
                .anySatisfy(line -> assertThat(line).endsWith("HTTP/1.1 200 OK"));
    }

    @Test
    void refusalsOfTheServerAreFaultsOrProblems() throws IOException {
        assertThat(lines(request("GET " + API + "vms/%zz")))
                .startsWith("HTTP/1.1 400 Bad Request")
                .anySatisfy(line -> assertThat(line).startsWith("Content-Type: application/xml"))
                .anySatisfy(line -> assertThat(line).contains("<fault>"));
        assertThat(lines(request("GET /api/v1/vms/%zz")))
                .startsWith("HTTP/1.1 400 Bad Request")
                .anySatisfy(line ->
                        assertThat(line).startsWith("Content-Type: application/problem+json"))
                .anySatisfy(line -> assertThat(line).contains("\"status\":400"));
    }

    @Test
    void quotesAndBracesInASearchNeedNoEscapes() throws IOException {
        String search = "?search=name=\"{a}|[b]\"";
        assertThat(lines(request("GET " + API + "vms" + search))).startsWith("HTTP/1.1 200 OK");
    }

    @Test
    void controlCharactersInTheNameOfAParameterAreNoDefect() throws IOException {
        assertThat(lines(request("GET /actuator/health?sort%00=1")))
                .startsWith("HTTP/1.1 400 Bad Request")
                .contains("Content-Type: application/problem+json");
        for (String path : List.of("/api/v1/vms", API + "vms")) {
            assertThat(lines(request("GET " + path + "?sort%00=1")))
                    .as(path)
                    .first()
                    .asString()
                    .matches("HTTP/1.1 (200|400) .*");
        }
    }

    @Test
    void aBodyThatIsTooLargeIsRefusedWithAFault() throws IOException {
        String body = "<action><reason>" + "x".repeat(1 << 21) + "</reason></action>";
        HttpResponse<String> announced = xml("vms/" + id("status=down") + "/start", body);
        assertThat(announced.statusCode()).as(announced.body()).isEqualTo(413);
        assertThat(announced.body()).contains("<fault>").contains("A body may have at most");
        HttpResponse<String> chunked =
                engine.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                engine.address()
                                                        + API
                                                        + "vms/"
                                                        + id("status=down")
                                                        + "/start"))
                                .POST(
                                        HttpRequest.BodyPublishers.ofInputStream(() ->
                                                new ByteArrayInputStream(
                                                        body.getBytes(StandardCharsets.UTF_8))))
                                .build());
        assertThat(chunked.statusCode()).as(chunked.body()).isEqualTo(413);
        assertThat(chunked.body()).contains("<fault>");
    }

    @Test
    void anAsteriskDoesNotMatchMissingObjects() {
        assertThat(send("GET", "vms/" + NOBODY, "", "If-None-Match", "*").statusCode())
                .isEqualTo(404);
        assertThat(send("GET", "nowhere", "", "If-None-Match", "*").statusCode()).isEqualTo(404);
        assertThat(send("GET", "vms", "", "If-None-Match", "*").statusCode()).isEqualTo(304);
        HttpRequest native404 =
                HttpRequest.newBuilder(URI.create(engine.address() + "/api/v1/vms/" + NOBODY))
                        .header("If-None-Match", "*")
                        .build();
        assertThat(engine.send(native404).statusCode()).isEqualTo(404);
    }
}
