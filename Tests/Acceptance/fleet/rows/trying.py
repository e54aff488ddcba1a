"""Temporary: the cluster alone."""
from lab.table import row
import time
from fleet.server import Instance
from fleet.machine import *
from fleet.client import Verdicts
from fleet.load import Load

@row("T1", "up", "up", limit=200)
def up(lab):
    t=time.time()
    lab.cluster.up()
    a=time.time()-t
    old=lab.cluster.primary().name
    lab.cluster.primary().kill_postgres()
    t=time.time()
    while (p:=lab.cluster.primary()) is None or p.name==old: time.sleep(.05)
    b=time.time()-t
    lab.cluster.up()
    c=time.time()-t
    return f"up in {a:.1f}; new primary {b:.1f}; whole {c:.1f}"

@row("T2", "sqlite", "up", limit=100)
def sqlite(lab):
    one=Instance("uaf1","127.0.2.1",CERTIFICATES,[])
    one.start()
    lab.verdicts=Verdicts((one.state/"verdict.pub").read_bytes())
    lab.instances=[one]
    people=lab.people(4)
    with Load("t2",people,lambda: lab.channel(one)) as load:
        load.for_(5)
    load.must_be_honest()
    return f"{len(load.yes)} {dict(load.later)} {load.counters()} {load.longest_gap(0)}"
