package org.stillwater.server.api.rows;

import java.util.HashSet;
import java.util.Set;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Tag;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;

/** Resolves the tags that a filter names; case is ignored. */
public final class TagReferences {

    private TagReferences() {}

    /**
     * Names of the tags that a filter names, by commas: whole names, or patterns with {@code *} and
     * {@code ?}.
     *
     * @throws ApiException 404 for a name that no tag has; a tag that the caller may not see is
     *     answered in the same words
     */
    public static Set<String> names(
            FleetReader fleet, Caller caller, String parameter, String text) {
        Set<String> seen = seen(fleet, caller);
        Set<String> wanted = new HashSet<>();
        for (String word : FilterText.words(text)) {
            boolean pattern = word.indexOf('*') >= 0 || word.indexOf('?') >= 0;
            Wildcard whole = new Wildcard(parameter, word);
            boolean found = pattern;
            for (String name : seen) {
                if (pattern ? whole.matches(name) : name.equalsIgnoreCase(word)) {
                    wanted.add(name);
                    found = true;
                }
            }
            if (!found) {
                throw ApiException.notFound("There is no tag " + Ids.shortened(word) + ".");
            }
        }
        return wanted;
    }

    /**
     * Names of the tags that a caller sees: all for a reader of everything, else those of VMs and
     * hosts that the caller may read. Takes a pass over the objects with tags.
     */
    private static Set<String> seen(FleetReader fleet, Caller caller) {
        TagRegistry tags = fleet.tags();
        Set<String> seen = new HashSet<>();
        if (caller.has(Role.READER)) {
            for (Tag tag : tags.tags()) {
                seen.add(tag.name());
            }
            return seen;
        }
        tags.vms()
                .forEach((id, set) -> {
                    VmReading vm = fleet.reading(id);
                    if (vm != null && caller.has(Role.READER, id, vm.definition().cluster())) {
                        seen.addAll(set.names());
                    }
                });
        tags.hosts()
                .forEach((id, set) -> {
                    HostView host = fleet.host(id);
                    if (host != null
                            && caller.has(Role.READER, host.state().definition().cluster())) {
                        seen.addAll(set.names());
                    }
                });
        return seen;
    }
}
