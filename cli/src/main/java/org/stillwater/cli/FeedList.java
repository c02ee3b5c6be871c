package org.stillwater.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.cli.Engine.Parameter;
import org.stillwater.cli.Rows.Column;

/**
 * A list of VMs or hosts, and then its changes: the stream signals a change, the list with {@code
 * since} delivers it. Used once, by one thread.
 */
final class FeedList {

    /** Fields of VMs with changes that a watch follows, beside changed definitions. */
    private static final String FOLLOWED = "name,status,hostId,guestIps,fqdn,tags";

    private static final int PAGE = 1_000;
    private static final String SORT = "sort";
    private static final Column CHANGE = new Column("change", "change");

    private final Engine engine;
    private final CommandEnvironment here;
    private final Listing listing;
    private final String path;
    private final String entity;
    private final List<Parameter> query = new ArrayList<>();
    private final Rows rows;
    private final boolean watched;
    private final Map<String, String> names = new HashMap<>();

    /**
     * @param path of the list, such as {@code /vms}
     * @param entity as the stream names it, such as {@code vm}
     * @param standard columns without {@code --columns}
     * @param shortNames paths of columns by short name
     * @param order sort keys, null for the engine's own order
     */
    FeedList(
            Engine engine,
            CommandEnvironment here,
            Listing listing,
            String path,
            String entity,
            List<String> standard,
            Map<String, String> shortNames,
            @Nullable String order) {
        this.engine = engine;
        this.here = here;
        this.listing = listing;
        this.path = path;
        this.entity = entity;
        List<Column> columns = new ArrayList<>(listing.columns(standard, shortNames));
        boolean whole = listing.isWhole();
        if (!whole) {
            List<String> fields =
                    columns.stream()
                            .map(Column::path)
                            .collect(Collectors.toCollection(ArrayList::new));
            fields.addAll(List.of("id", "name"));
            query.add(new Parameter("fields", String.join(",", fields)));
        }
        query.add(new Parameter(SORT, order == null ? "" : order));
        query.addAll(listing.filters());
        this.watched = listing.watches();
        if (watched) {
            columns.addFirst(CHANGE);
        }
        this.rows = new Rows(here.out(), listing.form(), whole ? List.of() : columns);
    }

    /** Prints the list, and its changes if they are requested. */
    int run() {
        long revision = list();
        return watched ? watch(revision) : 0;
    }

    /** Prints all pages; returns the revision that they are at least as new as. */
    private long list() {
        int left = listing.limit(Integer.MAX_VALUE);
        long revision = -1;
        String cursor = "";
        do {
            List<Parameter> page = new ArrayList<>(query);
            Json answer = engine.page(path, page, Math.min(PAGE, left), cursor);
            answer.get("items").list().forEach(item -> print("listed", item));
            left -= answer.get("items").list().size();
            cursor = answer.get("next").text();
            if (revision < 0) {
                revision = answer.number("revision");
            }
        } while (!cursor.isEmpty() && left > 0 && !here.out().checkError());
        rows.show();
        return revision;
    }

    private void print(String change, Json item) {
        if (!watched) {
            rows.add(item);
            return;
        }
        names.put(item.get("id").text(), item.get("name").text());
        Map<String, Json> members = new LinkedHashMap<>();
        members.put(CHANGE.path(), Json.of(change));
        if (item instanceof Json.Obj(var all)) {
            members.putAll(all);
        }
        rows.add(new Json.Obj(members));
    }

    private int watch(long first) {
        Long until = listing.untilNanos();
        long revision = first;
        int left = listing.changes();
        String stream =
                "/stream?entity=%s&fields=%s&since=%d".formatted(entity, FOLLOWED, revision);
        try (Wakes wakes = new Wakes(engine, stream, here)) {
            while (left > 0 && wakes.await(until)) {
                List<Parameter> since = new ArrayList<>(query);
                since.removeIf(each -> each.name().equals(SORT)); // changes have no order
                since.add(new Parameter("since", Long.toString(revision)));
                Json answer;
                try {
                    answer = engine.get(Engine.path(path, since));
                } catch (Trouble.Gone _) {
                    here.err()
                            .println(
                                    "stillwater: the engine keeps no older changes; this is the"
                                            + " list again");
                    revision = list();
                    continue;
                }
                for (Json item : answer.get("items").list()) {
                    print("changed", item);
                    left--;
                }
                for (Json id : answer.get("removed").list()) {
                    left -= removed(id.text());
                }
                revision = answer.number("revision");
                rows.show();
                if (here.out().checkError()) {
                    return 0; // the reader has closed the output
                }
            }
        }
        return 0;
    }

    /** Prints that an entry is gone, or no longer matches; returns 1 if it was shown. */
    private int removed(String id) {
        String name = names.remove(id);
        if (name == null) {
            return 0;
        }
        Map<String, Json> members = new LinkedHashMap<>();
        members.put(CHANGE.path(), Json.of("gone"));
        members.put("id", Json.of(id));
        members.put("name", Json.of(name));
        rows.add(new Json.Obj(members));
        return 1;
    }
}
