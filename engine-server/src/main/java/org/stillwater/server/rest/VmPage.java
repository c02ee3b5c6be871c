package org.stillwater.server.rest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmId;
import org.stillwater.monitoring.vm.VmView;

/**
 * Picks one page out of all VMs in one pass, keeping no more than the page. The cursor is the last
 * VM's place in the order, so pages neither repeat nor skip VMs that stay, whatever comes and goes
 * between two requests. Not thread-safe.
 */
final class VmPage {

    /** The order of a list. */
    enum Sort {
        ID,
        NAME;

        static Sort of(String text) {
            return switch (text) {
                case "id" -> ID;
                case "name" -> NAME;
                default -> throw ApiException.badRequest("sort must be id or name");
            };
        }
    }

    /** A place in the order. */
    private record Place(String name, VmId id) implements Comparable<Place> {

        private static final Comparator<Place> ORDER =
                Comparator.comparing(Place::name).thenComparing(Place::id);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    private record Entry(Place place, VmView vm) {}

    private final Sort sort;
    private final int limit;
    private final @Nullable Place after;
    private final PriorityQueue<Entry> kept =
            new PriorityQueue<>(Comparator.comparing(Entry::place).reversed());
    private int total;
    private boolean more;

    VmPage(Sort sort, String cursor, int limit) {
        this.sort = sort;
        this.limit = limit;
        this.after = cursor.isEmpty() ? null : parse(sort, cursor);
    }

    void offer(VmView vm) {
        total++;
        Place place = place(vm);
        if (after != null && place.compareTo(after) <= 0) {
            return;
        }
        Entry last = kept.peek();
        if (kept.size() < limit) {
            kept.add(new Entry(place, vm));
        } else if (last != null) {
            more = true;
            if (place.compareTo(last.place()) < 0) {
                kept.poll();
                kept.add(new Entry(place, vm));
            }
        }
    }

    ApiJson.Vms build() {
        List<Entry> sorted = new ArrayList<>(kept);
        sorted.sort(Comparator.comparing(Entry::place));
        String next = more ? cursor(sorted.getLast().place()) : null;
        return new ApiJson.Vms(sorted.stream().map(Entry::vm).toList(), total, next);
    }

    private Place place(VmView vm) {
        return new Place(sort == Sort.ID ? "" : vm.definition().name(), vm.id());
    }

    private String cursor(Place place) {
        String text = (sort == Sort.ID ? "i" : "n") + place.id() + place.name();
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Place parse(Sort sort, String cursor) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
            if (text.startsWith(sort == Sort.ID ? "i" : "n") && text.length() >= 37) {
                return new Place(text.substring(37), VmId.parse(text.substring(1, 37)));
            }
        } catch (IllegalArgumentException _) {
            // answered below like any other cursor that was not given out for this order
        }
        throw ApiException.badRequest("cursor does not belong to this list and order");
    }
}
