/**
 * Simulated pools: the object store with its generations, sessions, tasks, the lifecycle of VMs and
 * hosts, and metrics, all derived from one seed and one virtual clock. Sockets and encodings must
 * not live here.
 */
@NullMarked
package org.stillwater.fake.xapi.world;

import org.jspecify.annotations.NullMarked;
