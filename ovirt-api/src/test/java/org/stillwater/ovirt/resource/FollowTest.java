package org.stillwater.ovirt.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Every entity that another one links or refers to can be followed. */
class FollowTest {

    private static final Set<String> REFERENCE = Set.of("id", "href", "name");

    private final Asked asked = new Asked(new SmallFleet());
    private final Set<String> followed = new LinkedHashSet<>();

    @Test
    void everyLinkAndEveryReferenceOfEveryEntityCanBeFollowed() {
        Deque<String> collections = new ArrayDeque<>();
        for (JsonNode link : asked.json("").path("link")) {
            if (!link.path("rel").asString().contains("/")) {
                collections.add(below(link.path("href").asString()));
            }
        }
        collections.add("/options");
        int entities = 0;
        Set<String> seen = new LinkedHashSet<>();
        while (!collections.isEmpty()) {
            String collection = collections.remove();
            for (JsonNode items : asked.json(collection)) {
                for (JsonNode item : items) {
                    if (!item.has("href") || !seen.add(item.path("href").asString())) {
                        continue;
                    }
                    entities++;
                    follow(collection + "/" + item.path("id").asString(), item);
                    item.path("link")
                            .forEach(link -> collections.add(below(link.path("href").asString())));
                }
            }
        }
        assertThat(entities).isGreaterThan(100);
        assertThat(followed)
                .contains(
                        "event.vm",
                        "event.host",
                        "event.cluster",
                        "event.data_center",
                        "event.user",
                        "disk.storage_domains",
                        "storage_domain.data_centers",
                        "storage_domain.data_center",
                        "network.data_center",
                        "permission.role",
                        "permission.user",
                        "vm_pool.vm",
                        "job.owner",
                        "step.job",
                        "statistic.host_numa_node",
                        "statistic.nic",
                        "user.domain");
    }

    /** The links and references of one entity, each alone. */
    private void follow(String path, JsonNode item) {
        for (JsonNode link : item.path("link")) {
            String name = link.path("rel").asString();
            Answer answer = asked.get(path + "?follow=" + name, "Accept", "application/json");
            assertThat(answer.status()).as(path + " " + name).isEqualTo(200);
            assertThat(asked.json(answer).path("link").findValuesAsString("rel"))
                    .as(path)
                    .doesNotContain(name);
        }
        item.propertyStream()
                .filter(member -> isReference(member.getValue()))
                .forEach(member -> {
                    String name = member.getKey();
                    JsonNode told = asked.json(path + "?follow=" + name).path(name);
                    JsonNode first = told.has("href") ? told : told.iterator().next().get(0);
                    assertThat(first.propertyNames().stream().anyMatch(it -> !isPlain(it)))
                            .as("%s of %s is told: %s", name, path, told)
                            .isTrue();
                    List<String> parts = List.of(path.split("/", -1));
                    followed.add(kind(parts.get(parts.size() - 2)) + "." + name);
                });
    }

    private static boolean isPlain(String name) {
        return REFERENCE.contains(name);
    }

    private static boolean isReference(JsonNode value) {
        if (value.path("href").isString()) {
            return true;
        }
        return value.isObject()
                && value.size() == 1
                && value.iterator().next().isArray()
                && value.iterator().next().path(0).path("href").isString()
                && !value.iterator().next().path(0).has("rel");
    }

    private static String kind(String path) {
        for (Kind kind : Kind.values()) {
            if (kind.path().equals(path)) {
                return kind.item();
            }
        }
        return path;
    }

    private static String below(String href) {
        assertThat(href).startsWith(Request.BASE);
        return href.substring(Request.BASE.length());
    }

    @Test
    void pathsOfReferencesMayBeNested() {
        JsonNode event =
                asked.json(
                        "/events/4711?follow=vm.cluster.data_center,host.statistics,user.domain");
        assertThat(event.path("vm").path("cluster").path("data_center").has("status")).isTrue();
        assertThat(event.path("host").path("statistics").path("statistic").size()).isPositive();
        assertThat(asked.json("/disks?follow=storage_domains.data_centers").toString())
                .contains("\"storage_format\"");
    }

    @Test
    void nestedListsCountAgainstTheLimit() {
        Asked few = new Asked(new SmallFleet(), new Limits(12, 4, 9, 400, 8));
        assertThat(few.get("/disks?follow=storage_domains").status()).isEqualTo(200);
        Answer refused = few.get("/storagedomains?follow=disks.storage_domains.disks");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(few.text(refused)).contains("entities; the limit is 12");
    }

    @Test
    void anUnknownNameIsRefusedWithThoseThereAre() {
        for (String path :
                List.of("/events", "/disks", "/vmpools", "/networks", "/permissions", "/icons")) {
            Answer refused = asked.get(path + "?follow=nothing");
            assertThat(refused.status()).as(path).isEqualTo(400);
            assertThat(asked.text(refused)).contains("\"nothing\" of follow is neither a link");
        }
        assertThat(asked.text(asked.get("/events?follow=vm.nothing"))).contains("reference of vm;");
    }
}
