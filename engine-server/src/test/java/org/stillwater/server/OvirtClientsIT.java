package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.server.replay.Recording;
import org.stillwater.server.replay.Replay;
import tools.jackson.databind.JsonNode;

/**
 * The requests of clients that cannot run here, byte by byte, and the members that those clients
 * read from the answers.
 */
class OvirtClientsIT {

    private static final String API = "/ovirt-engine/api";
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir static Path folder;
    private static SdkFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        fleet =
                SdkFleet.start(
                        folder,
                        "--stillwater.security.anonymous-role=none",
                        // moVirt sends its password in the query
                        "--stillwater.security.sso-password-in-query=true");
        engine = fleet.engine();
    }

    @AfterAll
    static void stop() {
        fleet.close();
    }

    // ------------------------------------------------------------------------- recorded requests

    /** Each request of each recording, in its order; what an answer gives, later ones use. */
    @TestFactory
    Stream<DynamicContainer> recordedRequestsAreAnswered() {
        return Recording.CLIENTS.stream()
                .map(Recording::of)
                .map(recording -> {
                    Replay replay =
                            new Replay(
                                    HTTP,
                                    engine.address(),
                                    Map.of("password", RunningEngine.PASSWORD, "basic", basic()),
                                    RunningEngine::await);
                    return DynamicContainer.dynamicContainer(
                            recording.client(),
                            recording.exchanges().stream()
                                    .map(each ->
                                            DynamicTest.dynamicTest(
                                                    each.name(), () -> replay.play(each))));
                });
    }

    private static String basic() {
        return Base64.getEncoder()
                .encodeToString(
                        ("admin@internal:" + RunningEngine.PASSWORD)
                                .getBytes(StandardCharsets.UTF_8));
    }

    private static HttpResponse<String> send(String method, String path, String... headers) {
        return engine.api().send(method, path, null, headers);
    }

    // -------------------------------------------------------------------- whether it is an engine

    private static HttpResponse<String> follow(
            String method, String path, @Nullable CookieHandler cookies, int most) {
        @Nullable HttpResponse<String> answer = null;
        String next = path;
        for (int i = 0; i < most; i++) {
            URI uri = URI.create(engine.address() + next);
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(uri)
                            .method(i == 0 ? method : "GET", HttpRequest.BodyPublishers.noBody())
                            .header("Accept", "text/html");
            try {
                if (cookies != null) {
                    String sent =
                            String.join(
                                    "; ",
                                    cookies.get(uri, Map.of()).getOrDefault("Cookie", List.of()));
                    if (!sent.isEmpty()) {
                        request.header("Cookie", sent);
                    }
                }
                answer = engine.send(request.build());
                if (cookies != null) {
                    cookies.put(uri, answer.headers().map());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            if (answer.statusCode() != 302) {
                return answer;
            }
            next = answer.headers().firstValue("Location").orElseThrow();
        }
        return Objects.requireNonNull(answer);
    }

    /** The Go client knows an address without {@code /api} by redirects without an end. */
    @ParameterizedTest
    @ValueSource(strings = {"GET", "OPTIONS"})
    void anAddressWithoutApiLeadsAClientInCirclesAndABrowserToThePage(String method) {
        assertThat(follow(method, "/ovirt-engine", null, 11).statusCode())
                .as("after ten redirects")
                .isEqualTo(302);
        HttpResponse<String> page = follow(method, "/ovirt-engine", new CookieManager(), 11);
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).contains("Stillwater");
    }

    // ------------------------------------------------------------------------------ ovirt_exporter

    /** One scrape: a HEAD with a password, and then nothing but its cookie. */
    @Test
    void anExporterScrapesWithItsCookie() {
        HttpResponse<String> first =
                send(
                        "HEAD",
                        API + "/",
                        "Authorization",
                        "Basic " + basic(),
                        "Prefer",
                        "persistent-auth");
        assertThat(first.statusCode()).isEqualTo(200);
        String cookie = first.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
        assertThat(cookie).startsWith("JSESSIONID=");

        List<String> vms = ids(scrape(cookie, "vms"), "vm");
        assertThat(vms).isNotEmpty();
        String hosts = scrape(cookie, "hosts");
        assertThat(hosts).containsPattern("<speed>[0-9]+</speed>");
        assertThat(scrape(cookie, "storagedomains")).contains("<storage_domains");
        List<String> descriptions = new ArrayList<>();
        for (String vm : vms) {
            String path = "vms/" + vm;
            String statistics = scrape(cookie, path + "/statistics");
            descriptions.add(
                    Pattern.compile("<description>[^<]*</description>")
                            .matcher(statistics)
                            .results()
                            .map(each -> each.group())
                            .toList()
                            .toString());
            assertThat(scrape(cookie, path + "/snapshots")).contains("<snapshot ");
            for (String nic : ids(scrape(cookie, path + "/nics"), "nic")) {
                assertThat(scrape(cookie, path + "/nics/" + nic + "/statistics"))
                        .contains("data.current.rx");
            }
            for (String disk : ids(scrape(cookie, path + "/diskattachments"), "disk")) {
                assertThat(scrape(cookie, "disks/" + disk)).contains("<storage_domains");
            }
        }
        assertThat(descriptions).as("one text for each name").containsOnly(descriptions.getFirst());
        for (String host : ids(hosts, "host")) {
            assertThat(scrape(cookie, "hosts/" + host + "/statistics")).contains("memory.total");
            for (String nic : ids(scrape(cookie, "hosts/" + host + "/nics"), "host_nic")) {
                assertThat(scrape(cookie, "hosts/" + host + "/nics/" + nic + "/statistics"))
                        .contains("data.total.rx");
            }
        }
        assertThat(send("GET", API + "/vms", "Prefer", "persistent-auth").statusCode())
                .isEqualTo(401);
    }

    private static String scrape(String cookie, String path) {
        HttpResponse<String> answer =
                send(
                        "GET",
                        API + "/" + path,
                        "Content-Type",
                        "application/xml",
                        "Cookie",
                        cookie,
                        "Prefer",
                        "persistent-auth");
        assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/xml");
        return answer.body();
    }

    private static List<String> ids(String xml, String element) {
        Matcher matcher = Pattern.compile("<" + element + " [^>]*\\bid=\"([^\"]+)\"").matcher(xml);
        return matcher.results().map(each -> each.group(1)).distinct().toList();
    }

    // --------------------------------------------------------------------------- moVirt, web-ui

    /** A password in the query and no body, as moVirt has it. */
    private static String token() {
        HttpResponse<String> answer =
                send(
                        "POST",
                        "/ovirt-engine/sso/oauth/token?grant_type=password&scope=ovirt-app-api"
                                + "&username=admin%40internal&password="
                                + URLEncoder.encode(RunningEngine.PASSWORD, StandardCharsets.UTF_8),
                        "Accept",
                        "application/json");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return RunningEngine.JSON.readTree(answer.body()).path("access_token").asString();
    }

    private static JsonNode json(String path, String... more) {
        String[] headers = new String[4 + more.length];
        headers[0] = "Authorization";
        headers[1] = "Bearer " + token();
        headers[2] = "Accept";
        headers[3] = "application/json";
        System.arraycopy(more, 0, headers, 4, more.length);
        HttpResponse<String> answer = send("GET", API + path, headers);
        assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/json");
        return RunningEngine.JSON.readTree(answer.body());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/vms;max=20?follow=statistics",
                "/vms;max=20?search=status%3Dup&follow=statistics",
                "/hosts?follow=statistics",
                "/clusters",
                "/datacenters",
                "/storagedomains",
                "/disks",
                "/events;max=100?from=1&search=sortby%20time%20desc",
                "/events;max=250?search=event_vm%3Ddefined0",
                "/roles?follow=permits",
                "/groups",
                "/operatingsystems",
                "/datacenters?follow=permissions,storage_domains",
                "/storagedomains?follow=permissions",
                "/templates?follow=nics,disk_attachments.disk,permissions",
                "/clusters?follow=networks,permissions",
                "/vnicprofiles?follow=network,permissions",
                "/disks?search=disk_type%3Dimage%20and%20disk_content_type%3Diso",
                "/events?search=severity%3Derror",
                "/vms;max=20?detail=current_graphics_consoles&current&search=SORTBY%20NAME%20ASC%20page%201&follow=graphics_consoles",
                "/vmpools;max=20?search=SORTBY%20NAME%20ASC%20page%201",
                "/options/MaxNumOfVmSockets",
                "/options/UserSessionTimeOutInterval",
            })
    void requestsOfOtherClientsAreAnswered(String path) {
        JsonNode answer = json(path, "Filter", "false", "Accept-Language", "en");
        assertThat(answer.isObject()).isTrue();
    }

    @Test
    void aVmIsAsTheWebInterfaceReadsIt() {
        JsonNode list =
                json(
                        "/vms;max=2?current&search=status%3Dup%20SORTBY%20NAME%20ASC%20page%201&follow=graphics_consoles");
        assertThat(list.path("vm")).hasSize(2);
        String id = list.path("vm").path(0).path("id").asString();
        JsonNode vm =
                json(
                        "/vms/"
                                + id
                                + "?follow=cdroms,disk_attachments.disk.permissions,graphics_consoles,nics.reporteddevices,permissions,sessions,snapshots,statistics&current",
                        "All-Content",
                        "true");
        assertThat(vm.path("sso").path("methods").isObject()).isTrue();
        assertThat(vm.path("delete_protected").asString().toLowerCase(Locale.ROOT))
                .isEqualTo("false");
        assertThat(vm.path("memory").isString()).isTrue();
        assertThat(vm.path("creation_time").isNumber()).isTrue();
        assertThat(vm.path("cpu").path("topology").path("cores").isString()).isTrue();
        for (JsonNode statistic : vm.path("statistics").path("statistic")) {
            for (JsonNode value : statistic.path("values").path("value")) {
                assertThat(value.has("datum") ? value.path("datum").isNumber() : true).isTrue();
            }
        }
        for (String name : List.of("elapsed.time", "cpu.current.total", "memory.used")) {
            assertThat(vm.path("statistics").path("statistic"))
                    .anySatisfy(each -> {
                        assertThat(each.path("name").asString()).isEqualTo(name);
                        assertThat(each.path("values").path("value")).isNotEmpty();
                    });
        }
    }

    @Test
    void anEmptyCollectionIsAnEmptyObject() {
        assertThat(json("/vms?search=name%3Dnobody").properties()).isEmpty();
    }
}
