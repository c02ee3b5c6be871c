package org.stillwater.ovirt.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A list of items under one element: {@code <ips><ip/></ips>}, in JSON {@code {"ips":{"ip":[]}}}
 * and, when it is empty, <code>{}</code>. Collections are listings too, under their root element.
 *
 * @param <T> type of the items
 * @param item the items' element
 * @param items in order; may be made while they are written, by several threads if the list is
 *     long, and each is read once
 * @param size how many there are in all, where that was requested
 */
public record Listing<T>(String item, List<T> items, @Nullable Integer size) {

    /** A listing without a total. */
    public static <T> Listing<T> of(String item, List<T> items) {
        return new Listing<>(item, items, null);
    }
}
