package org.stillwater.ovirt.query;

import java.util.Collection;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A step from one collection to another, as in {@code vms}' {@code hosts.name = node-01}.
 *
 * @param <T> type of the collection's items
 * @param <R> type of the referenced items
 * @param name as the search language writes it, lower case; more names may lead to the same
 * @param targets items that an item refers to, possibly none; from memory
 * @param fields fields of the referenced items; read lazily, because references go round in circles
 */
public record Reference<T, R>(
        String name, Function<T, Collection<R>> targets, Supplier<Fields<R>> fields) {}
