import threading
import time

from mcts_core.web.turns import Turns


def test_those_who_wait_are_served_in_order():
    turns = Turns(1)
    first, second, third = turns.join(), turns.join(), turns.join()
    assert turns.wanted
    assert not turns.take(second, 0.01) and turns.take(first, 0.01)
    assert not turns.take(second, 0.01)
    turns.give_back()
    assert not turns.take(third, 0.01)
    turns.leave(second)
    assert turns.take(third, 0.01) and not turns.wanted
    turns.give_back()


def test_as_many_at_a_time_as_there_are_places():
    turns, inside, most = Turns(2), set(), []

    def work(name):
        place = turns.join()
        while not turns.take(place, 0.5):
            pass
        inside.add(name)
        most.append(len(inside))
        time.sleep(0.002)
        inside.discard(name)
        turns.give_back()

    threads = [threading.Thread(target=work, args=(name,)) for name in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(most) == 12 and max(most) <= 2 and not turns.wanted
