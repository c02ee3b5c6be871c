package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What the compatible API changes, as bytes on the wire: every answer that chapter 4 has. */
class OvirtActionsIT {

    private static final String API = "/ovirt-engine/api/";
    private static final String NOBODY = new UUID(0, 255).toString();

    @TempDir static Path folder;
    private static SdkFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        fleet = SdkFleet.start(folder);
        engine = fleet.engine();
    }

    @AfterAll
    static void stop() {
        fleet.close();
    }

    private static HttpResponse<String> send(
            String method, String path, String body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(engine.address() + API + path))
                        .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return engine.send(request.build());
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

        JsonNode stopped = read(json("vms/" + vm + "/stop", "{\"what\":[{\"is\":\"this\"}]}"), 200);
        assertThat(stopped.path("status").asString()).isEqualTo("complete");
        until(vm, "down");
    }

    @Test
    void whoDoesNotWaitIsToldWhereToAsk() {
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
                "POST   | vms/VM/clone                    | 409",
                "POST   | vms/VM/cancelmigration          | 409",
                "POST   | vms/VM/detach                   | 409",
                "POST   | vms/NOBODY/start                | 404",
                "POST   | vms/nonsense/start              | 404",
                "POST   | hosts/NOBODY/activate           | 404",
                "POST   | hosts/HOST/activate             | 409",
                "POST   | hosts/HOST/fence                | 400",
                "POST   | hosts/HOST/upgrade              | 409",
                "POST   | hosts/HOST/refresh              | 200",
                "POST   | vms/VM/nics/NOBODY/activate     | 409",
                "POST   | vms                             | 400",
                "POST   | vmpools                         | 400",
                "POST   | events                          | 400",
                "DELETE | events/17                       | 404",
                "POST   | jobs/NOBODY/clear               | 404",
                "POST   | vmpools/NOBODY/allocatevm       | 404",
                "POST   | clusters                        | 405",
                "PUT    | vms                             | 405",
                "PUT    | vms/NOBODY                      | 404",
                "DELETE | vms/NOBODY                      | 404",
                "DELETE | vms                             | 405",
                "DELETE | nothing                         | 404",
                "PATCH  | vms/VM                          | 405",
            })
    void whatCannotBeDoneIsToldSo(String method, String path, int status) {
        String host = get("hosts?max=1").path("host").path(0).path("id").asString();
        String real =
                path.replace("NOBODY", NOBODY)
                        .replace("VM/", id("status=down") + "/")
                        .replaceAll("VM$", id("status=down"))
                        .replace("HOST", host);
        HttpResponse<String> answer = send(method, real, "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        if (status != 405) {
            assertThat(answer.body()).containsAnyOf("<detail>", "<status>complete</status>");
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
    void aBodyThatMakesNoSenseIsRefused(String body) {
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
    void whatIsMeantForSomethingElseIsRefused(String method, String path, String body) {
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
    void eventsOfWhatWasAskedForAreFoundByWhatItsCallerCallsIt() {
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
        HttpResponse<String> smaller =
                send("PUT", path, "<vm_pool><size>2</size></vm_pool>");
        assertThat(smaller.statusCode()).as(smaller.body()).isEqualTo(409);
        assertThat(smaller.body()).contains("it has 4 VMs");
        assertThat(send("DELETE", path, "").statusCode()).isEqualTo(200);
        for (int n = 1; n <= 4; n++) {
            String vm = id("name=seat0" + n + "s");
            assertThat(send("DELETE", "vms/" + vm, "").statusCode()).isEqualTo(200);
        }
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
        HttpResponse<String> added =
                json("vmpools", "{\"name\":\"desks\",\"max_user_vms\":\"2\"}");
        JsonNode pool = read(added, 201);
        String path = "vmpools/" + pool.path("id").asString();
        assertThat(pool.path("max_user_vms").asString()).isEqualTo("2");
        assertThat(pool.path("size").asString()).isEqualTo("0");
        JsonNode none = read(json(path + "/allocatevm", "{}"), 409);
        assertThat(none.path("fault").path("detail").asString())
                .contains("none of its VMs is free");
        assertThat(send("DELETE", path, "").statusCode()).isEqualTo(200);
    }

    @Test
    void whyAVmWasStoppedIsToldUntilItRunsAgain() {
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
    void whatSwitchesAHostIsToldWithoutItsSecrets() {
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

    @Test
    void anActionWhoseBodyCannotBeReadFailsAsAnAction() {
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
            assertThat(answer.body()).isEmpty();
            assertThat(answer.headers().firstValue("Allow")).contains("POST");
        }
        assertThat(send("GET", "vms/" + vm + "/fly", "").statusCode()).isEqualTo(404);
    }

    @Test
    void whoUsesAMethodThatIsNotForThePathIsToldWhichAre() {
        String vm = id("status=up");
        Map<String, String> allowed =
                Map.of(
                        "PUT vms",
                        "GET, HEAD, POST",
                        "POST vms/" + vm,
                        "GET, HEAD, PUT, DELETE",
                        "DELETE clusters",
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
    void anEventOfAnotherProgramIsTold() {
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
    void anEventOfAnotherProgramIsAboutWhateverItSays() {
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
    void anEventThatWasDismissedIsNotToldUntilAllAreRestored() {
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
    void whoAddsOrChangesAVmIsAnsweredWithWhatWasKept() {
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
    void whatCannotBeKeptIsRefusedInsteadOfForgotten(String member, String why) {
        HttpResponse<String> refused = xml("vms", "<vm><name>forgotten</name>" + member + "</vm>");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
        assertThat(refused.body()).contains("<fault>").contains(why);
        assertThat(get("vms?search=name=forgotten").path("vm")).isEmpty();
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
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
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
    void whatPeopleSayOfAVmIsKept() {
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
                .isEqualTo(409);
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
    void statusLinesSayWhy() throws IOException {
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
    void whatTheServerItselfRefusesIsAFaultOrAProblem() throws IOException {
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
    void anAsteriskIsNotWhatIsNotThere() {
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
