package org.stillwater.core.connection;

import java.util.function.Function;

/** Outcome of one call to a host. */
public sealed interface HostAnswer<T> {

    /** The host carried the call out. */
    record Success<T>(T value) implements HostAnswer<T> {}

    /** It did not. */
    record Failed<T>(HostFailure failure) implements HostAnswer<T> {}

    /** The same failure, or the success converted. */
    default <R> HostAnswer<R> map(Function<? super T, ? extends R> conversion) {
        return switch (this) {
            case Success<T>(T value) -> new Success<>(conversion.apply(value));
            case Failed<T>(HostFailure failure) -> new Failed<>(failure);
        };
    }
}
