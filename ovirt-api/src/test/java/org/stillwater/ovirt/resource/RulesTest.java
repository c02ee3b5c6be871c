package org.stillwater.ovirt.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.ovirt.codec.Codec;
import org.stillwater.ovirt.codec.Format;
import org.stillwater.ovirt.model.Action;
import org.stillwater.ovirt.model.Fault;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The rules of chapter 0 that need no network: 2 to 6 and 17 are kept by {@code OvirtApiIT} over
 * HTTP as well.
 */
class RulesTest {

    private static final String WEB = "/vms/" + SmallFleet.WEB;
    private static final List<String> LISTS =
            List.of(
                    "/vms?follow=statistics,nics.statistics,disk_attachments.disk,snapshots",
                    "/hosts?follow=statistics,nics.statistics,numa_nodes.statistics",
                    "/clusters",
                    "/datacenters?follow=storage_domains,networks,clusters",
                    "/disks?follow=statistics",
                    "/events",
                    "/jobs?follow=steps",
                    "/storagedomains",
                    "/templates",
                    "/networks",
                    "/vnicprofiles?follow=network",
                    "/vmpools",
                    "/users");

    private final Asked asked = new Asked(new SmallFleet());

    @Test
    @DisplayName("Rule 1: without Accept, or with */*, XML is answered")
    void xmlIsTheDefault() {
        assertThat(asked.get("/vms").format()).isEqualTo(Format.XML);
        assertThat(asked.get("/vms", "Accept", "*/*").format()).isEqualTo(Format.XML);
        assertThat(asked.get("/vms", "Accept", "text/html").format()).isEqualTo(Format.XML);
        assertThat(asked.get("/vms", "Accept", "application/json; detail=statistics").format())
                .isEqualTo(Format.JSON);
        assertThat(asked.get("/vms?accept=application/json").format()).isEqualTo(Format.JSON);
        assertThat(asked.get("/vms", "Accept", "application/xml;q=0.5,text/json").format())
                .isEqualTo(Format.JSON);
    }

    @Test
    @DisplayName("Rule 2: HEAD is answered wherever GET is")
    void headIsAnswered() {
        for (String path : List.of("", "/", "/vms", WEB)) {
            assertThat(asked.answer("HEAD", Request.BASE + path, Asked.ADMIN).status())
                    .as(path)
                    .isEqualTo(200);
        }
    }

    @Test
    @DisplayName("Rule 3: nothing is ever answered by a redirect or a page")
    void everyAnswerIsOfTheTwoMediaTypes() {
        for (String path : List.of("/vms/x", "/no", "/vms?follow=x", "/vms?max=x", "/v3/vms")) {
            Answer answer = asked.get(path);
            assertThat(answer.status()).as(path).isBetween(400, 404);
            assertThat(answer.body()).isInstanceOf(Fault.class);
        }
    }

    @Test
    @DisplayName("Rule 5: the root is answered with and without a slash at its end")
    void theRootHasTwoPaths() {
        assertThat(asked.get("").root()).isEqualTo("api");
        assertThat(asked.get("/").root()).isEqualTo("api");
    }

    @Test
    @DisplayName("Rule 6: doubled slashes and matrix parameters are understood")
    void oddPathsAreUnderstood() {
        assertThat(asked.json("//vms").path("vm").size()).isEqualTo(3);
        assertThat(asked.json("/vms;max=2").path("vm").size()).isEqualTo(2);
        assertThat(asked.json("/events;max=100?from=4711").path("event").size()).isEqualTo(2);
        assertThat(asked.get(WEB + ";detail_only=true").status()).isEqualTo(200);
    }

    @Test
    @DisplayName("Rule 7: addresses are absolute paths and keep the version that was asked for")
    void addressesKeepTheVersion() {
        Matcher plain = hrefs(asked.xml("/vms?follow=nics"));
        while (plain.find()) {
            assertThat(plain.group(1)).startsWith("/ovirt-engine/api/").doesNotContain("/v4/");
        }
        Matcher versioned = hrefs(asked.xml("/v4/vms?follow=nics"));
        int found = 0;
        while (versioned.find()) {
            assertThat(versioned.group(1)).startsWith("/ovirt-engine/api/v4/");
            found++;
        }
        assertThat(found).isGreaterThan(10);
    }

    private static Matcher hrefs(String xml) {
        return Pattern.compile("href=\"([^\"]*)\"").matcher(xml);
    }

    @Test
    @DisplayName("Rule 8: times have three digits of fractions and a Z")
    void timesHaveTheFormThatClientsParse() {
        Pattern time = Pattern.compile("<([a-z_]*(?:time|date))>([^<]*)</");
        int found = 0;
        for (String list : LISTS) {
            Matcher matcher = time.matcher(asked.xml(list));
            while (matcher.find()) {
                assertThat(matcher.group(2))
                        .as(matcher.group(1))
                        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
                found++;
            }
        }
        assertThat(found).isGreaterThan(10);
        assertThat(asked.json("/events").path("event").get(0).path("time").isNumber()).isTrue();
    }

    /** Elements that hold text, of which empty ones are texts. */
    private static final Set<String> TEXTS =
            Set.of(
                    "name",
                    "description",
                    "comment",
                    "type",
                    "department",
                    "email",
                    "last_name",
                    "custom_kernel_cmdline");

    /** Elements that hold elements, of which empty ones are empty lists or objects. */
    private static final Set<String> STRUCTURES =
            Set.of(
                    "values",
                    "methods",
                    "storage_domains",
                    "networks",
                    "clusters",
                    "statistics",
                    "initialization",
                    "slaves",
                    "nics",
                    "numa_nodes",
                    "steps",
                    "disk_attachments");

    @Test
    @DisplayName("Rule 9: no typed element is empty")
    void noTypedElementIsEmpty() {
        Pattern empty = Pattern.compile("<([a-z_]+)(?:/>|></\\1>)");
        for (String list : LISTS) {
            Matcher matcher = empty.matcher(asked.xml(list));
            while (matcher.find()) {
                assertThat(
                                TEXTS.contains(matcher.group(1))
                                        || STRUCTURES.contains(matcher.group(1)))
                        .as("%s in %s", matcher.group(1), list)
                        .isTrue();
            }
        }
    }

    @Test
    @DisplayName("Rule 10: whole numbers have no decimal point, a host's clock speed neither")
    void wholeNumbersAreWhole() {
        assertThat(asked.xml("/hosts")).contains("<speed>2400</speed>");
        assertThat(asked.json("/hosts").path("host").get(0).path("cpu").path("speed").toString())
                .isEqualTo("2400");
        Matcher integers =
                Pattern.compile(
                                "<type>integer</type><unit>[a-z_]+</unit><values><value><datum>([^<]*)<")
                        .matcher(asked.xml(WEB + "/statistics"));
        int found = 0;
        while (integers.find()) {
            assertThat(integers.group(1)).matches("[0-9]+");
            found++;
        }
        assertThat(found).isEqualTo(7);
    }

    @Test
    @DisplayName("Rule 11: a VM always has what go-ovirt-client wants")
    void everyVmIsComplete() {
        for (JsonNode vm : asked.json("/vms").path("vm")) {
            for (String member :
                    List.of(
                            "id",
                            "name",
                            "description",
                            "comment",
                            "memory",
                            "memory_policy",
                            "status",
                            "type",
                            "cpu",
                            "os",
                            "template",
                            "cluster")) {
                assertThat(vm.has(member)).as("%s of %s", member, vm.path("name")).isTrue();
            }
            for (String part : List.of("cores", "sockets", "threads")) {
                assertThat(vm.path("cpu").path("topology").path(part).asString()).matches("[0-9]+");
            }
            assertThat(vm.path("os").path("type").asString()).isNotEmpty();
            assertThat(vm.path("template").path("id").asString()).isNotEmpty();
            assertThat(vm.path("cluster").path("id").asString()).isNotEmpty();
        }
        assertThat(asked.xml("/vms"))
                .contains("<description></description>", "<comment></comment>");
    }

    @Test
    @DisplayName("Rule 12: the JSON of a VM has sso, that of a pool's VM too")
    void everyVmHasSso() {
        for (JsonNode vm : asked.json("/vms").path("vm")) {
            assertThat(vm.path("sso").has("methods")).isTrue();
        }
        assertThat(asked.json("/vmpools").path("vm_pool").get(0).path("vm").path("sso").toString())
                .isEqualTo("{\"methods\":{}}");
    }

    @Test
    @DisplayName("Rule 13: every VM has snapshots, the active one first")
    void everyVmHasAnActiveSnapshot() {
        for (JsonNode vm : asked.json("/vms").path("vm")) {
            JsonNode snapshots =
                    asked.json("/vms/" + vm.path("id").asString() + "/snapshots").path("snapshot");
            assertThat(snapshots.size()).isPositive();
            assertThat(snapshots.get(0).path("snapshot_type").asString()).isEqualTo("active");
        }
    }

    @Test
    @DisplayName("Rule 14: every disk has storage_domains, and what it names is there")
    void everyDiskHasStorageDomains() {
        Set<String> known = new HashSet<>();
        asked.json("/storagedomains")
                .path("storage_domain")
                .forEach(domain -> known.add(domain.path("id").asString()));
        int disks = 0;
        for (JsonNode disk : asked.json("/disks").path("disk")) {
            JsonNode told = asked.json("/disks/" + disk.path("id").asString());
            assertThat(told.has("storage_domains")).isTrue();
            told.path("storage_domains")
                    .path("storage_domain")
                    .forEach(domain -> assertThat(known).contains(domain.path("id").asString()));
            disks++;
        }
        assertThat(disks).isEqualTo(2);
    }

    @Test
    @DisplayName("Rule 15: a statistic's description and unit are the same everywhere")
    void descriptionsAreConstant() {
        Map<String, String> descriptions = new HashMap<>();
        for (String list :
                List.of(
                        "/vms?follow=statistics",
                        "/hosts?follow=statistics",
                        "/vms?follow=nics.statistics",
                        "/hosts?follow=nics.statistics")) {
            boolean nics = list.contains("nics");
            String kind = nics ? "nic" : list.substring(0, 5);
            Matcher matcher =
                    Pattern.compile(
                                    "<name>([^<]*)</name><description>([^<]*)</description><kind>([^<]*)</kind><type>([^<]*)</type><unit>([^<]*)</unit>")
                            .matcher(asked.xml(list));
            while (matcher.find()) {
                String rest = matcher.group(2) + "|" + matcher.group(5);
                assertThat(descriptions.merge(kind + matcher.group(1), rest, (a, _) -> a))
                        .isEqualTo(rest);
            }
        }
        assertThat(descriptions).hasSizeGreaterThan(35);
    }

    @Test
    @DisplayName("Rule 16: some statistics always have exactly one value")
    void someStatisticsAlwaysHaveAValue() {
        for (JsonNode vm : asked.json("/vms?follow=statistics").path("vm")) {
            JsonNode statistics = vm.path("statistics").path("statistic");
            assertThat(statistics.size()).isEqualTo(16);
            for (String name :
                    List.of(
                            "elapsed.time",
                            "cpu.current.total",
                            "memory.installed",
                            "memory.used")) {
                assertThat(valuesOf(statistics, name)).as(name).isEqualTo(1);
            }
        }
        for (JsonNode host : asked.json("/hosts?follow=statistics").path("host")) {
            JsonNode statistics = host.path("statistics").path("statistic");
            assertThat(statistics.size()).isGreaterThanOrEqualTo(13);
            for (String name :
                    List.of(
                            "cpu.current.user",
                            "cpu.current.system",
                            "memory.total",
                            "memory.used")) {
                assertThat(valuesOf(statistics, name)).as(name).isEqualTo(1);
            }
        }
    }

    private static int valuesOf(JsonNode statistics, String name) {
        for (JsonNode statistic : statistics) {
            if (statistic.path("name").asString().equals(name)) {
                return statistic.path("values").path("value").size();
            }
        }
        return -1;
    }

    @Test
    @DisplayName("Rule 17: unknown changes are refused, never answered with nothing")
    void unknownChangesAreRefused() {
        Answer answer = asked.answer("DELETE", Request.BASE + "/clusters", Asked.ADMIN);
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.headers()).containsEntry("Allow", "GET, HEAD");
        assertThat(asked.text(answer))
                .contains("<fault><detail>This path takes the methods GET, HEAD, not DELETE.");
        Answer json =
                asked.answer(
                        "PUT",
                        Request.BASE + "/clusters",
                        Asked.ADMIN,
                        "Accept",
                        "application/json");
        assertThat(json.status()).isEqualTo(405);
        assertThat(asked.text(json)).startsWith("{\"detail\":\"This path takes");
        assertThat(asked.answer("POST", Request.BASE + "/no/where", Asked.ADMIN).status())
                .isEqualTo(404);
    }

    @Test
    @DisplayName("Rule 18: a failed action is an action with a fault")
    void aFailedActionHasAFault() {
        Action action =
                Action.failed(
                        new Fault("[Cannot run VM: it is already running.]", "Operation Failed"));
        assertThat(written(Format.XML, "action", action))
                .endsWith(
                        "<action><fault><detail>[Cannot run VM: it is already running.]</detail>"
                                + "<reason>Operation Failed</reason></fault>"
                                + "<status>failed</status></action>");
        assertThat(written(Format.JSON, "action", action))
                .isEqualTo(
                        "{\"fault\":{\"detail\":\"[Cannot run VM: it is already"
                                + " running.]\",\"reason\":\"Operation"
                                + " Failed\"},\"status\":\"failed\"}");
    }

    private static String written(Format format, String root, Object entity) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new Codec().write(format, root, entity, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("Rule 19: unknown identities and paths are 404 with a fault")
    void unknownIs404() {
        Answer answer = asked.get("/vms/v404", "Accept", "application/json");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(asked.text(answer))
                .isEqualTo(
                        "{\"detail\":\"Entity not found: v404\",\"reason\":\"Operation Failed\"}");
        assertThat(asked.get(WEB + "/nowhere").status()).isEqualTo(404);
        assertThat(asked.get(WEB + "/nics/" + SmallFleet.IMAGE).status()).isEqualTo(404);
    }

    @Test
    @DisplayName("Rule 20: JSON has texts for whole numbers and truth values, numbers for the rest")
    void jsonTypesAreThoseOfTheReferenceEngine() {
        JsonNode vm = asked.json(WEB);
        assertThat(vm.path("memory").isString()).isTrue();
        assertThat(vm.path("stateless").toString()).isEqualTo("\"false\"");
        assertThat(vm.path("creation_time").isNumber()).isTrue();
        assertThat(asked.json(WEB + "/tags").toString()).isEqualTo("{}");
        assertThat(
                        asked.json(WEB + "/statistics")
                                .path("statistic")
                                .get(0)
                                .path("values")
                                .path("value")
                                .get(0)
                                .path("datum")
                                .isNumber())
                .isTrue();
        JsonNode disk = asked.json("/disks/" + SmallFleet.IMAGE);
        assertThat(disk.path("actual_size").toString()).isEqualTo("\"3221225472\"");
    }

    @Test
    @DisplayName("Rule 21: empty parameters and max=-1 are no parameters")
    void emptyParametersAreAccepted() {
        for (String query :
                List.of(
                        "search=",
                        "follow=",
                        "current",
                        "max=-1",
                        "max=",
                        "case_sensitive=&search=&follow=&max=2&current")) {
            assertThat(asked.get("/vms?" + query).status()).as(query).isEqualTo(200);
        }
        assertThat(asked.json("/vms?max=-1").path("vm").size()).isEqualTo(3);
        assertThat(asked.json("/vms?search=&max=0").toString()).isEqualTo("{}");
    }

    @Test
    @DisplayName(
            "Rule 21: a parameter without an effect is named in the answer, as oVirt ignores it")
    void ignoredParametersAreNamed() {
        assertThat(ignored("/vms?serach=name%3Dweb&max=2&follow=nics&correlation_id=a"))
                .isEqualTo("serach");
        assertThat(ignored("/vms;detail_only=true?_=17")).isEqualTo("_, detail_only");
        assertThat(ignored(WEB + "?max=2&search=x&all_content=true&next_run"))
                .as("an entity is no list")
                .isEqualTo("max, search");
        assertThat(ignored(WEB + "/nics?search=x&max=1")).as("no search").isEqualTo("search");
        assertThat(ignored("/events?from=1&case_sensitive=false&search=x")).isNull();
        assertThat(ignored("/vms?from=1")).isEqualTo("from");
        assertThat(ignored("/vms?a%0d%0ab%c3%a4=1")).as("fit for a header").isEqualTo("a__b_");
        assertThat(ignored("/vms")).isNull();
    }

    private @Nullable String ignored(String path) {
        Answer answer = asked.get(path);
        assertThat(answer.status()).as(path).isEqualTo(200);
        return answer.headers().get("Ignored-Parameters");
    }

    @Test
    @DisplayName(
            "Rule 21: a parameter with two values, or with one that it cannot have, is refused")
    void contradictingParametersAreRefused() {
        for (String query :
                List.of(
                        "search=name%3Da&search=name%3Db",
                        "max=1&max=2",
                        "all_content=perhaps",
                        "filter=perhaps",
                        "search=x&case_sensitive=perhaps")) {
            Answer answer = asked.get("/vms?" + query);
            assertThat(answer.status()).as(query).isEqualTo(400);
            assertThat(((Fault) Objects.requireNonNull(answer.body())).detail())
                    .as(query)
                    .contains(query.replaceAll(".*&", "").replaceAll("=.*", ""));
        }
        assertThat(asked.get("/vms?max=1&max=1&&").status()).isEqualTo(200);
        assertThat(asked.json("/vms;max=1?max=2").path("vm").size())
                .as("the query's wins")
                .isEqualTo(2);
    }

    /** A target of body parsing. */
    record OperationRequest(
            @Nullable Boolean force, @Nullable String reason, @Nullable Target host) {}

    /** A host, by identity or name. */
    record Target(@Nullable String id, @Nullable String name) {}

    @Test
    @DisplayName("Rule 22: bodies of actions may be empty elements, empty objects, or know more")
    void bodiesAreReadLeniently() {
        Codec codec = new Codec();
        for (String xml : List.of("<action/>", "<action></action>", "<action> </action>")) {
            OperationRequest read = codec.read(Format.XML, stream(xml), OperationRequest.class);
            assertThat(read == null || read.force() == null).as(xml).isTrue();
        }
        assertThat(codec.read(Format.JSON, stream("{}"), OperationRequest.class).force()).isNull();
        assertThat(
                        codec.read(
                                        Format.JSON,
                                        stream("{\"force\":\"true\",\"unknown\":{\"a\":[1]}}"),
                                        OperationRequest.class)
                                .force())
                .isTrue();
        OperationRequest migrate =
                codec.read(
                        Format.XML,
                        stream("<action><host id=\"h1\"/><force>true</force><x>1</x></action>"),
                        OperationRequest.class);
        assertThat(Objects.requireNonNull(migrate.host()).id()).isEqualTo("h1");
        assertThat(migrate.force()).isTrue();
    }

    @Test
    void documentTypesAndEntitiesAreRefused() {
        String bomb =
                "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
                        + "<action><reason>&x;&b;</reason></action>";
        assertThatThrownBy(() -> new Codec().read(Format.XML, stream(bomb), OperationRequest.class))
                .isInstanceOf(JacksonException.class);
        String deep = "<a>".repeat(1_000) + "</a>".repeat(1_000);
        assertThatThrownBy(() -> new Codec().read(Format.XML, stream(deep), OperationRequest.class))
                .isInstanceOf(JacksonException.class);
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theIdentitiesOfStatisticsAreThoseOfAppendixA() {
        assertThat(Measure.ELAPSED_TIME.id()).isEqualTo("57dfc947-ba36-3a51-a1ad-3800b6199ff5");
        assertThat(Measure.hugePages("2048", "free").id())
                .isEqualTo("6c5d91a5-6077-3f4e-8390-4023c6178729");
        assertThat(Measure.DISK_WRITE_OPS.id()).isEqualTo("fc6ba9f6-199a-3c17-b989-489cecbe7b2f");
        assertThat(Measure.DISKS_USAGE.id()).isEqualTo("c5dd0086-d5f0-3abf-9628-4674abb3f5ac");
    }

    @Test
    void aConsoleIsServedAsAFileForItsViewer() {
        Answer answer =
                asked.get(WEB + "/graphicsconsoles/766e63", "Accept", "application/x-virt-viewer");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body())
                .isInstanceOfSatisfying(
                        Text.class,
                        text ->
                                assertThat(text.text())
                                        .startsWith(
                                                "[virt-viewer]\n"
                                                        + "type=vnc\n"
                                                        + "host=10.9.0.11\n"
                                                        + "port=5900\n"
                                                        + "title=web-01:%d\n"));
    }

    @Test
    void anEntityTagChangesWithItsEntity() {
        String before = Objects.requireNonNull(asked.get("/vms").tag());
        assertThat(asked.get("/vms").tag()).isEqualTo(before);
        asked.fleet().status(SmallFleet.DESK, VmStatus.POWERING_UP);
        assertThat(asked.get("/vms").tag()).isNotEqualTo(before);
        String now = Objects.requireNonNull(asked.get("/vms").tag());
        Answer known = asked.get("/vms", "If-None-Match", Tags.quoted(now, true));
        assertThat(known.status()).isEqualTo(304);
        assertThat(known.body()).isNull();
        assertThat(asked.get("/vms/v404", "If-None-Match", "*").status()).isEqualTo(404);
        assertThat(asked.get("/vms").exact()).isFalse();
        assertThat(asked.get("/vms?follow=statistics").exact()).isTrue();
    }

    @Test
    void detailTakesEntitiesOutAndNumbersIn() {
        String sized = asked.xml("/vms?detail=size-main");
        assertThat(sized).contains("<size>3</size>").doesNotContain("<vm ");
        assertThat(asked.xml("/vms;detail=-main")).doesNotContain("<vm ", "<size>");
        assertThat(asked.xml("/vms?detail=statistics-size"))
                .contains("<vm ", "<statistics>")
                .doesNotContain("<size>");
        assertThat(asked.xml("/vms?detail=-statistics")).doesNotContain("<statistics>");
    }
}
