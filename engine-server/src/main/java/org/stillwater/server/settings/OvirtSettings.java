package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits of the API for oVirt's clients, under {@code /ovirt-engine/api}.
 *
 * @param mostEntities entities in one answer: items of a list, each with its followed entities
 * @param deepestFollow steps of one path of {@code follow}
 * @param mostFollowed steps of all paths of {@code follow} together
 * @param longestQuery characters of path and query together
 * @param longestSearch characters of a search
 * @param mostSearchTerms terms of a search
 * @param gzipLevel compression of answers, 1 (fast) to 9 (small)
 * @param gzipAtLeast answers smaller than this are not compressed, if their size is known
 * @param tagBuffer answers with numbers of a cycle are kept until they are complete up to this
 *     size, so that their entity tag is that of their bytes; larger ones have the tag of the cycle
 * @param mostSpecifications definitions of VMs kept in full; further VMs are shown without
 * @param concurrentPerClient requests of one client, by user and address, that are answered at the
 *     same time; others wait
 * @param clientPatience longest wait before a request is refused with status 503
 */
@ConfigurationProperties("stillwater.ovirt")
public record OvirtSettings(
        @DefaultValue("1000000") int mostEntities,
        @DefaultValue("4") int deepestFollow,
        @DefaultValue("24") int mostFollowed,
        @DefaultValue("16384") int longestQuery,
        @DefaultValue("8192") int longestSearch,
        @DefaultValue("256") int mostSearchTerms,
        @DefaultValue("3") int gzipLevel,
        @DefaultValue("1KB") DataSize gzipAtLeast,
        @DefaultValue("1MB") DataSize tagBuffer,
        @DefaultValue("200000") int mostSpecifications,
        @DefaultValue("64") int concurrentPerClient,
        @DefaultValue("30s") Duration clientPatience) {

    public OvirtSettings {
        Checks.number("ovirt.most-entities", mostEntities, 100, 100_000_000);
        Checks.number("ovirt.deepest-follow", deepestFollow, 1, 16);
        Checks.number("ovirt.most-followed", mostFollowed, 1, 256);
        Checks.number("ovirt.longest-query", longestQuery, 256, 65_536);
        Checks.number("ovirt.longest-search", longestSearch, 16, 65_536);
        Checks.number("ovirt.most-search-terms", mostSearchTerms, 1, 4_096);
        Checks.number("ovirt.gzip-level", gzipLevel, 1, 9);
        Checks.size(
                "ovirt.gzip-at-least", gzipAtLeast, DataSize.ofBytes(0), DataSize.ofMegabytes(1));
        Checks.size("ovirt.tag-buffer", tagBuffer, DataSize.ofBytes(0), DataSize.ofMegabytes(64));
        Checks.number("ovirt.most-specifications", mostSpecifications, 0, 10_000_000);
        Checks.number("ovirt.concurrent-per-client", concurrentPerClient, 1, 10_000);
        Checks.duration(
                "ovirt.client-patience",
                clientPatience,
                Duration.ofMillis(1),
                Duration.ofMinutes(10));
    }
}
