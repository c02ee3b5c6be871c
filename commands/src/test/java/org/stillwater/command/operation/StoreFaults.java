package org.stillwater.command.operation;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls of a store that a test makes fail, or never come back. */
final class StoreFaults {

    private volatile @Nullable Supplier<? extends Throwable> failure;
    private volatile BiPredicate<String, Object[]> fails = (_, _) -> true;
    private volatile @Nullable CountDownLatch gate;

    /** From now on calls of these methods fail like this. */
    void fail(Set<String> methods, Supplier<? extends Throwable> with) {
        fail((method, _) -> methods.contains(method), with);
    }

    /** From now on calls that are meant, by method and arguments, fail like this. */
    void fail(BiPredicate<String, Object[]> meant, Supplier<? extends Throwable> with) {
        fails = meant;
        failure = with;
    }

    /** Nothing fails any more. */
    void heal() {
        failure = null;
        CountDownLatch closed = gate;
        gate = null;
        if (closed != null) {
            closed.countDown();
        }
    }

    /** From now on every call waits until {@link #heal}. */
    void block() {
        gate = new CountDownLatch(1);
    }

    /** A store whose calls may fail. */
    <S> S before(Class<S> port, S store) {
        return port.cast(
                Proxy.newProxyInstance(
                        port.getClassLoader(),
                        new Class<?>[] {port},
                        (_, method, arguments) -> {
                            CountDownLatch closed = gate;
                            if (closed != null) {
                                closed.await();
                            }
                            Supplier<? extends Throwable> present = failure;
                            Object[] given = arguments == null ? new Object[0] : arguments;
                            if (present != null && fails.test(method.getName(), given)) {
                                throw present.get();
                            }
                            try {
                                return method.invoke(store, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }
}
