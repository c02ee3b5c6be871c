package org.stillwater.ovirt.query;

import java.util.Collection;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A step from one collection to another, as in {@code vms}' {@code hosts.name = node-01}.
 *
 * @param <T> what the collection holds
 * @param <R> what it refers to
 * @param name as the search language writes it, lower case; more names may lead to the same
 * @param targets what an item refers to, possibly nothing; from memory
 * @param fields of what it refers to; asked for lazily, because references go round in circles
 */
public record Reference<T, R>(
        String name, Function<T, Collection<R>> targets, Supplier<Fields<R>> fields) {}
